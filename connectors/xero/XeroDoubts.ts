/**
 * Which journals may be in Xero without being visible yet: those of requests whose outcome isn't known. Kept in the
 * Store, so the next process or leader knows of them too.
 *
 * A request is noted on disk before it is sent. If it has one journal, that may be sent again at once, with its own
 * key. If it has several, each is sent again only after Xero has had time to show it, because the key belongs to all of
 * them together.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Option, Schema } from "effect"
import type { Verdict } from "../../src/Ledger/Outbox/SinkAnswer.ts"
import { oneAtATime } from "../../src/Stores/Sql.ts"
import { readMeta, Store, writeMeta } from "../../src/Stores/Store.ts"
import { unavailable } from "./XeroAnswer.ts"

/** In `meta`. */
const metaKey = "xero_doubts"

/** If a request was sent this long ago, Xero shows its journals or has none. */
const doubtfulMs = 120_000

const Doubt = Schema.Struct({
  /** Its Idempotency-Key. */
  key: Schema.String,
  sentMs: Schema.Number,
  /** The ids of its entries. */
  ids: Schema.Array(Schema.String)
})
type Doubt = typeof Doubt.Type
const readDoubts = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Doubt)))

export interface Sending {
  readonly key: string
  readonly ids: ReadonlyArray<string>
}

export interface XeroDoubts {
  /** How long the entry can't be sent, in milliseconds; 0 if it may be sent once Xero was asked for it. */
  readonly leftMs: (entryId: string) => Effect.Effect<number, Verdict>
  /** Which of these go into the next request. From now on its outcome isn't known. */
  readonly begin: (entryIds: ReadonlyArray<string>) => Effect.Effect<Sending, Verdict>
  /** Xero has given the outcome of each. */
  readonly end: (sending: Sending) => Effect.Effect<void>
}

export const make = Effect.map(Store, (store): XeroDoubts => {
  /** Their doubts are removed from disk with the next request. */
  const ended = new Set<string>()

  const openIn = (text: string | undefined, nowMs: number): ReadonlyArray<Doubt> =>
    Option.getOrElse(text === undefined ? Option.none() : readDoubts(text), () => []).filter(
      (doubt) => !ended.has(doubt.key) && remainingMs(doubt, nowMs) > 0
    )

  return {
    leftMs: Effect.fnUntraced(function* (entryId) {
      const text = yield* Effect.mapError(
        store.run((db) => readMeta(db, metaKey)),
        unread
      )
      const nowMs = yield* Clock.currentTimeMillis
      const doubt = openIn(text, nowMs).find(({ ids }) => ids.length > 1 && ids.includes(entryId))
      return doubt === undefined ? 0 : remainingMs(doubt, nowMs)
    }),
    begin: Effect.fnUntraced(function* (entryIds) {
      const sentMs = yield* Clock.currentTimeMillis
      const noted = store.transaction(async (tx) => {
        await oneAtATime(tx, "outbox")
        const open = openIn(await readMeta(tx, metaKey), sentMs)
        const alone = entryIds.find((id) => open.some(({ key }) => key === id))
        const ids = alone === undefined ? entryIds : [alone]
        const sending = { key: keyOf(ids, sentMs), ids }
        const others = open.filter(({ key }) => key !== sending.key)
        await writeMeta(tx, metaKey, JSON.stringify([...others, { ...sending, sentMs }]))
        return sending
      })
      const sending = yield* Effect.mapError(noted, unread)
      ended.clear()
      return sending
    }),
    end: ({ key }) => Effect.sync(() => void ended.add(key))
  }
})

/** Setting a clock back doesn't make it longer. */
const remainingMs = ({ sentMs }: Doubt, nowMs: number): number => Math.min(doubtfulMs, sentMs + doubtfulMs - nowMs)

const keyOf = (ids: ReadonlyArray<string>, sentMs: number): string =>
  ids.length === 1 && ids[0] !== undefined
    ? ids[0]
    : createHash("sha256")
        .update([sentMs, ...ids].join("\n"))
        .digest("hex")

const unread = ({ message }: { readonly message: string }): Verdict =>
  unavailable(`What was sent to Xero can't be noted: ${message}`)
