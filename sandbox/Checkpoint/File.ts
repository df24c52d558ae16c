/**
 * The file of a checkpoint: its shape, and how it is read and replaced as a whole (a temporary file, then rename; not
 * fsynced, so a power cut may lose it). Only its owner can read it.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Option, Schema } from "effect"
import { codeOf } from "../../src/Runtime/SystemFailure.ts"
import { disguises } from "../Deliveries/Book.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const SavedSubscription = Schema.Struct({
  id: Count,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  secret: Schema.String,
  createdAtMillis: Schema.Int,
  /** By the simulated clock, as the ping states it. Older files don't have it. */
  createdAt: Schema.optionalKey(Schema.String),
  /** The subscription receives events from this step on. */
  createdAtStep: Count,
  /** The path of the API version in which it was made. Default: the first version's. */
  version: Schema.optionalKey(Schema.String),
  /** Default: active. */
  state: Schema.optionalKey(Schema.Literals(["active", "paused", "deleted"])),
  /** Every earlier event has been delivered or has failed permanently, or is among the saved deliveries. */
  unsettledFrom: Count
})
export type SavedSubscription = typeof SavedSubscription.Type

/** An array, because there may be a hundred thousand of them. */
const SavedDelivery = Schema.Tuple([
  /** The delivery's number. */
  Count,
  /** The subscription's number. */
  Count,
  /** The event's number. */
  Schema.Int,
  /** Whether it is a copy. */
  Schema.Boolean,
  Schema.Literals(disguises),
  /** Attempts in its latest schedule. */
  Count,
  /** Its latest attempt: milliseconds since 1970, how many milliseconds it took, and its outcome. */
  Schema.NullOr(Schema.Tuple([Schema.Int, Schema.Finite, Schema.Union([Schema.Int, Schema.String])]))
])
export type SavedDelivery = typeof SavedDelivery.Type

const File = Schema.Struct({
  version: Schema.Literal(1),
  /** Older files have none; they get a new one. */
  identity: Schema.optionalKey(Schema.NonEmptyString),
  seed: Schema.Finite,
  startAtMillis: Schema.Int,
  eventsPerSecond: Schema.optionalKey(Schema.Finite),
  /** The options that shape the data. */
  options: Schema.Record(Schema.String, Schema.Finite),
  /** The OAuth clients. */
  clients: Schema.optionalKey(
    Schema.Struct({
      clientId: Schema.String,
      clientSecret: Schema.String,
      redirectUris: Schema.Array(Schema.String)
    })
  ),
  steps: Count,
  anchors: Schema.NonEmptyArray(Schema.Struct({ step: Count, atMillis: Schema.Int })),
  subscriptions: Schema.Array(SavedSubscription),
  /** Every delivery so far has a lower number. */
  nextDelivery: Schema.optionalKey(Count),
  failed: Schema.optionalKey(Schema.Array(SavedDelivery)),
  /** Deliveries that can't be derived from the events: pings, tests and replays. */
  waiting: Schema.optionalKey(Schema.Array(SavedDelivery))
})
export type File = typeof File.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(File))

/** Undefined: there is no file. Fails with the reason why the file can't be used. */
export const read = (path: string): Effect.Effect<File | undefined, string> =>
  Effect.try({ try: () => readFileSync(path, "utf8"), catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      codeOf(cause) === "ENOENT" ? Effect.undefined : Effect.fail(`can't be read (${String(cause)})`)
    ),
    Effect.flatMap((text) => {
      if (text === undefined) return Effect.undefined
      return Option.match(decode(text), {
        onNone: () => Effect.fail("is cut off or not a sandbox's file"),
        onSome: (file) => Effect.succeed(file)
      })
    })
  )

export const write = (path: string, file: File) =>
  Effect.try({
    try: () => {
      const temporary = `${path}.tmp`
      mkdirSync(dirname(path), { recursive: true })
      rmSync(temporary, { force: true })
      writeFileSync(temporary, JSON.stringify(file), { flag: "wx", mode: 0o600 })
      renameSync(temporary, path)
    },
    catch: (cause) => cause
  })

/** An unusable file may be someone's, so it is kept. Returns its new path. */
export const moveAside = (path: string) =>
  Effect.try({
    try: () => {
      const kept = `${path}.old`
      renameSync(path, kept)
      return kept
    },
    catch: (cause) => cause
  })
