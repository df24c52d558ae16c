/**
 * Replaces a text in the bucket only if it is still the one that was read.
 *
 * After any answer but a success, it reads what is there before it decides who has won. It finds its own text if only
 * the answer was lost, another writer's text, or the unchanged old one. If a write over the unchanged old text was
 * refused (412, 409), the store wants the version without its quotes (radosgw), or two requests collided. If a store
 * doesn't support conditional writes (501) or ignores the condition, the text is written unconditionally and the result
 * is `unguarded`: there must be a single writer.
 */
import { Effect, Option } from "effect"
import { LakeError, type Replaced } from "../Lake.ts"
import { type Client, Thrown } from "./Client.ts"
import { text as readText } from "./Download.ts"
import { contentType, stored } from "./Upload.ts"

export interface Replacement {
  readonly client: Client
  readonly Bucket: string
  readonly Key: string
  readonly text: string
  /** None if nothing may be there. */
  readonly expected: Option.Option<string>
}

/** Learned from the store's answers; kept for the life of the process. */
export interface Learned {
  /** Whether the store honours write conditions; undefined if not known yet. */
  isGuarding: boolean | undefined
  /** Whether it wants the version without quotes. */
  isUnquoted: boolean
}

const mostAttempts = 6

export const replace = Effect.fnUntraced(function* (of: Replacement, learned: Learned) {
  let isUnquoted = learned.isUnquoted
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    if (learned.isGuarding === false) return yield* regardless(of)
    const refused = yield* put(of, conditions(of, isUnquoted)).pipe(
      Effect.as(undefined),
      Effect.catch((thrown) => Effect.succeed(thrown))
    )
    if (refused === undefined) {
      learned.isUnquoted = isUnquoted
      return yield* guarded(of, learned)
    }
    if (isUnknown(refused)) {
      learned.isGuarding = false
      continue
    }
    const there = yield* Effect.mapError(readText(of), () => refused)
    if (there?.text === of.text) return yield* guarded(of, learned)
    if (there?.version !== Option.getOrUndefined(of.expected)) return yield* overtaken(of)
    if (!isRefused(refused)) return yield* refused
    isUnquoted = !isUnquoted
  }
  const message = `s3://${of.Bucket}/${of.Key} can't be replaced: the store says that it has changed, but it hasn't.`
  return yield* new LakeError({ reason: "Failed", message })
})

interface Conditions {
  readonly IfMatch?: string
  readonly IfNoneMatch?: string
}

const conditions = ({ expected }: Replacement, isUnquoted: boolean): Conditions =>
  Option.match(expected, {
    onNone: () => ({ IfNoneMatch: "*" }),
    onSome: (version) => ({ IfMatch: isUnquoted ? version.replaceAll('"', "") : version })
  })

export const put = (
  { Bucket, client, Key, text }: Pick<Replacement, "Bucket" | "client" | "Key" | "text">,
  conditions: Conditions
) =>
  client
    .call("PutObject", (s3, options) =>
      s3.putObject({ Bucket, Key, Body: Buffer.from(text), ContentType: contentType(Key), ...conditions }, options)
    )
    .pipe(Effect.flatMap(stored))

const regardless = (of: Replacement): Effect.Effect<Replaced, Thrown> => Effect.as(put(of, {}), "unguarded")

const isUnknown = ({ code, status }: Thrown): boolean => status === 501 || code === "NotImplemented"

const isRefused = ({ code, status }: Thrown): boolean =>
  status === 412 || status === 409 || (status === 404 && code === "NoSuchKey")

const overtaken = ({ Bucket, Key }: Replacement): Effect.Effect<never, LakeError> =>
  Effect.fail(new LakeError({ reason: "Overtaken", message: `s3://${Bucket}/${Key} was replaced by another process.` }))

/** A version that no text has. */
const noVersion = '"00000000000000000000000000000000"'

/**
 * The text is there. Finds out once whether the store honours conditions, by writing the same text again with a
 * condition that never holds: a store that honours it refuses, and in one that doesn't nothing has changed.
 */
const guarded = Effect.fnUntraced(function* (of: Replacement, learned: Learned) {
  if (learned.isGuarding === undefined) {
    const tried = yield* Effect.result(put(of, { IfMatch: noVersion }))
    if (tried._tag === "Success" || isUnknown(tried.failure)) learned.isGuarding = false
    else if (isRefused(tried.failure)) learned.isGuarding = true
  }
  return learned.isGuarding === true ? "guarded" : "unguarded"
})
