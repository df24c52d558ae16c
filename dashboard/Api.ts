/**
 * How the page talks to the worker: the same verbs as the command line, with the types of `AdminApi` but none of its
 * code, and the reader's session.
 *
 * The result is either the answer, or `Refused` with a sentence for the reader. A session that has ended shows the
 * sign-in page, no matter which request notices it.
 */
import type { SignedIn } from "../src/Operate/AdminApi/SessionVerbs.ts"
import type { Answer as AnswerOf, Payload as PayloadOf, VerbName } from "../src/Operate/AdminApi.ts"

export type { StatusReport } from "../src/Operate/AdminApi/StatusReport.ts"
export type { Row } from "../src/Operate/AdminApi/LedgerVerbs.ts"

export type Name = VerbName
export type Payload<Asked extends Name> = PayloadOf<Asked>
export type Answer<Asked extends Name> = AnswerOf<Asked>

export type Point = Answer<"history">["points"][number]
export type Event = Answer<"events">["events"][number]

export type { SignedIn as Session } from "../src/Operate/AdminApi/SessionVerbs.ts"

export class Refused extends Error {
  /** The HTTP status; 0 if nothing answered. */
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.status = status
  }
}

/** Called when a session has ended. */
let signedOut = (): void => {}

export const onSignedOut = (act: () => void): void => {
  signedOut = act
}

const noAnswer = "The worker doesn't answer."

const send = async (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> => {
  const told = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  try {
    return await fetch(path, {
      method,
      credentials: "same-origin",
      ...told,
      ...(signal === undefined ? {} : { signal })
    })
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    throw new Refused(0, noAnswer)
  }
}

const sentenceIn = (answer: unknown): string | undefined =>
  typeof answer === "object" && answer !== null && "error" in answer && typeof answer.error === "string"
    ? answer.error
    : undefined

const answerOf = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  const answer: unknown = /\bjson\b/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined
  if (response.ok) return answer
  throw new Refused(response.status, sentenceIn(answer) ?? `The worker answers with ${response.status}.`)
}

/** Rejects with `Refused`. */
export const ask = async <Asked extends Name>(
  name: Asked,
  payload: Payload<Asked>,
  signal?: AbortSignal
): Promise<Answer<Asked>> => {
  const response = await send("POST", `/verbs/${name}`, payload, signal)
  if (response.status === 401) signedOut()
  return (await answerOf(response)) as Answer<Asked>
}

/** The whole answer of a statement, as a Parquet file. */
export const parquetOf = async (sql: string): Promise<Uint8Array<ArrayBuffer>> => {
  const response = await send("POST", "/query.parquet", { sql } satisfies Payload<"query">)
  if (response.status === 401) signedOut()
  if (!response.ok) await answerOf(response)
  return new Uint8Array(await response.arrayBuffer())
}

/** The session of the browser's cookie; rejects with 401 if there is none. */
export const session = async (): Promise<SignedIn> => (await answerOf(await send("GET", "/session"))) as SignedIn

export const signIn = async (proof: { readonly code: string } | { readonly token: string }): Promise<SignedIn> =>
  (await answerOf(await send("POST", "/session", proof))) as SignedIn

export const signOut = async (): Promise<void> => {
  await send("DELETE", "/session")
}

/** A sentence for the reader about any error. */
export const sentenceOf = (cause: unknown): string =>
  cause instanceof Refused ? cause.message : `This page has a fault: ${String(cause)}`
