/**
 * What went wrong with PostgreSQL, as one sentence that says where and what to do, without user name or password:
 * what the server says about people and their rights is said in our own words.
 */
import { DatabaseError } from "pg"

export type Reason = "Refused" | "Full" | "Locked" | "Unusable" | "Failed"

export interface Failure {
  readonly reason: Reason
  readonly message: string
  readonly cause: unknown
}

/** By SQLSTATE, or its class of two letters. */
const reasons: Readonly<Record<string, Reason>> = {
  "22": "Refused",
  "23": "Refused",
  "28": "Unusable",
  "3D": "Unusable",
  "40": "Locked",
  "42501": "Unusable",
  "53100": "Full",
  // Too long for an index, nested too deep.
  "54": "Refused",
  "55P03": "Locked",
  "57014": "Locked"
}

/** In place of the server's words. */
const words: Readonly<Record<string, string>> = {
  "28": "the server doesn't let this user in from here: check its role and pg_hba.conf, and whether it wants encryption",
  "28P01": "user or password is wrong: check SITELEDGER_WAREHOUSE",
  "3D": "there is no such database: create it first, as siteledger makes its schemas only",
  "53300":
    "all of the server's connections are taken: raise max_connections, or run fewer workers (each takes up to 14)"
}

const busy = "the server is busy, or another session holds what is needed (pg_stat_activity tells which): try again"

/** After the server's words. */
const advice: Readonly<Record<string, string>> = {
  "42501": "give the worker's role its rights (config/postgres-roles.sql)",
  "53100": "make room on the server's disk, and everything goes on by itself",
  "55P03": busy,
  "57014": busy
}

export class UnusableServer extends Error {}

export const behindPooler = "the server itself is needed, and not a connection pooler"

/** A pooler's words for what sessions ask for at their start; a server takes it. */
const isPooler = (cause: unknown): boolean =>
  cause instanceof DatabaseError && cause.message.startsWith("unsupported startup parameter")

const stateOf = (cause: unknown): string => (cause instanceof DatabaseError ? (cause.code ?? "") : "")

const by = <A>(table: Readonly<Record<string, A>>, state: string): A | undefined =>
  table[state] ?? table[state.slice(0, 2)]

/** The other end went away: what it was doing may or may not have been done. */
export const isLost = (cause: unknown): boolean => {
  const state = stateOf(cause)
  return state === "" ? !(cause instanceof UnusableServer) : /^(08|57P)/.test(state)
}

export const of = (cause: unknown, name: string): Failure => {
  if (isPooler(cause)) return of(new UnusableServer(behindPooler, { cause }), name)
  const state = stateOf(cause)
  const reason = cause instanceof UnusableServer ? "Unusable" : (by(reasons, state) ?? "Failed")
  return { reason, message: `${name}${told(cause, state)}.`, cause }
}

const told = (cause: unknown, state: string): string => {
  const what = cause instanceof Error ? nameless(cause.message) || codeOf(cause) : String(cause)
  if (isUnanswered(cause)) return ` doesn't answer: ${what}`
  return `: ${by(words, state) ?? [what, by(advice, state)].filter(Boolean).join("; ")}`
}

/** The client's own words for a server that went away or stays silent; the system's errors have a code. */
const unanswered = /^(?:Connection terminated|Query read timeout|timeout|Client (?:has|was)|Postgres connection)/

const isUnanswered = (cause: unknown): boolean =>
  cause instanceof Error && !(cause instanceof DatabaseError) && ("code" in cause || unanswered.test(cause.message))

const nameless = (message: string): string => message.replace(/\b(user|role) "(?:[^"]|"")*"/gi, "$1").replace(/\.$/, "")

/** Several addresses that refused together come without a message. */
const codeOf = (cause: Error): string => String((cause as { readonly code?: unknown }).code ?? cause.name)
