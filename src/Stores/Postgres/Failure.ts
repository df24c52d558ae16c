/**
 * A failure of PostgreSQL as one sentence: where it happened and what to do. It contains no password and no user name:
 * the server's messages about logins are replaced by our own words. Imports no Effect, because the receiver's thread
 * uses it.
 */
import { DatabaseError } from "pg"
import { codeOf } from "../../Runtime/SystemFailure.ts"
import { mostConnections } from "./ConnectionCounts.ts"

export type Reason = "Refused" | "Full" | "Locked" | "Unusable" | "Failed"

export interface Failure {
  readonly reason: Reason
  readonly message: string
  readonly cause: unknown
}

/** By SQLSTATE, or by its class (the first two characters). */
const reasons: Readonly<Record<string, Reason>> = {
  "22": "Refused",
  "23": "Refused",
  "28": "Unusable",
  "3D": "Unusable",
  "40": "Locked",
  "42501": "Unusable",
  "53100": "Full",
  // A value too long for an index, or nested too deeply.
  "54": "Refused",
  "55P03": "Locked",
  "57014": "Locked"
}

/** Replaces the server's words. */
const words = (variable: string): Readonly<Record<string, string>> => ({
  "28": "the server refuses this user from here: check its role and pg_hba.conf, and whether the server requires encryption",
  "28P01": `user or password is wrong: check ${variable}`,
  "3D": "there is no such database: create it first (siteledger creates only its schemas)",
  "53300":
    "all of the server's connections are taken: raise max_connections, or run fewer workers " +
    `(each takes up to ${mostConnections})`
})

const busy =
  "the server is busy, or another session holds a lock that is needed (pg_stat_activity shows which): try again"

/** Added after the server's words. */
const advice: Readonly<Record<string, string>> = {
  "42501": "give the worker's role its rights (config/postgres-roles.sql)",
  "53100": "free space on the server's disk; everything then continues by itself",
  "55P03": busy,
  "57014": busy
}

/** Only a person can help; `message` says how. */
export class UnusableServer extends Error {}

export const behindPooler = new UnusableServer(
  "siteledger needs a direct connection to the server, not a connection pooler"
)

/** How a pooler refuses the settings that a session requests at startup. */
const isPooler = (cause: unknown): boolean =>
  cause instanceof DatabaseError && cause.message.startsWith("unsupported startup parameter")

const stateOf = (cause: unknown): string => (cause instanceof DatabaseError ? codeOf(cause) : "")

const by = <A>(table: Readonly<Record<string, A>>, state: string): A | undefined =>
  table[state] ?? table[state.slice(0, 2)]

/** The connection broke: its last statement may or may not have been executed. */
export const isLost = (cause: unknown): boolean => {
  const state = stateOf(cause)
  return state === "" ? !(cause instanceof UnusableServer) : /^(08|57P)/.test(state)
}

/** `variable`: the one that has the address. */
export const of = (cause: unknown, name: string, variable = "SITELEDGER_WAREHOUSE"): Failure => {
  if (isPooler(cause)) return of(behindPooler, name)
  const state = stateOf(cause)
  const reason = cause instanceof UnusableServer ? "Unusable" : (by(reasons, state) ?? "Failed")
  return { reason, message: `${name}${sentence(cause, state, variable)}.`, cause }
}

const sentence = (cause: unknown, state: string, variable: string): string => {
  // If several addresses refuse together, the error has no message.
  const what = cause instanceof Error ? nameless(cause.message) || codeOf(cause) || cause.name : String(cause)
  if (isUnanswered(cause)) return ` doesn't answer: ${what}`
  return `: ${by(words(variable), state) ?? [what, by(advice, state)].filter(Boolean).join("; ")}`
}

/** The client's messages for a server that went away or stays silent. Errors from the operating system have a code. */
const unanswered = /^(?:Connection terminated|Query read timeout|timeout|Client (?:has|was)|Postgres connection)/

const isUnanswered = (cause: unknown): boolean =>
  cause instanceof Error && !(cause instanceof DatabaseError) && ("code" in cause || unanswered.test(cause.message))

const nameless = (message: string): string => message.replace(/\b(user|role) "(?:[^"]|"")*"/gi, "$1").replace(/\.$/, "")
