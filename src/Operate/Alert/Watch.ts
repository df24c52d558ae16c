/**
 * Compares Status with the last alert, and writes the next one if there is news.
 */
import { randomUUID } from "node:crypto"
import { Clock, Effect, type Latch, Schema } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import { type Level, Reasons } from "../../Runtime/Reasons.ts"
import { Store } from "../../Stores/Store.ts"
import { Workers } from "../Workers.ts"
import { reasonKey } from "./Delivery.ts"

const RedLevel = Schema.Literals(["degraded", "critical"])
type RedLevel = typeof RedLevel.Type

const AlertRecord = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["red", "recovered"]),
  /** Absent in version 0.1's alerts. */
  level: Schema.optionalKey(RedLevel),
  at: Schema.String,
  since: Schema.String,
  reasons: Schema.Array(Schema.String),
  /** Absent in an older version's alerts: then no kind counts as new. */
  kinds: Schema.optionalKey(Schema.Array(Schema.String)),
  instance: Schema.String,
  dataDir: Schema.String
})
type AlertRecord = typeof AlertRecord.Type
type Sent = ReadonlyArray<AlertRecord>

const settleMs = 5_000
const longestSettleMs = 300_000
const flappingMs = 3_600_000
const betweenReasonsMs = 60_000
const trustMs = 30_000

interface Fault {
  readonly sentence: string
  readonly level: RedLevel
}
/** By kind. */
type Faults = ReadonlyMap<string, Fault>

export const watcher = (
  { dataDir, instance }: { readonly dataDir: string; readonly instance: string },
  written: Latch.Latch
) =>
  Effect.gen(function* () {
    const store = yield* Store
    const reasons = yield* Reasons
    const seen = seenFrom(yield* Clock.currentTimeMillis)
    return Effect.gen(function* () {
      // Read each time, because another worker may have led and sent alerts before.
      const sent = yield* load(store)
      // Without the alert's own reason: otherwise an alert that can't be delivered would cause the next.
      const own = (yield* reasons.all).flatMap(({ key, level, sentence }) =>
        level === "notice" || key === reasonKey ? [] : [[key, { level, sentence }] as const]
      )
      const faults: Faults = new Map([...own, ...(yield* ofOthers)])
      const nowMs = yield* Clock.currentTimeMillis
      const level = highest([...faults.values()])
      const kinds = kindsOf(sent.at(-1), faults)
      look(seen, sent, { level, kinds }, nowMs)
      if (!isNews(seen, sent, nowMs)) return
      if (level === "critical") seen.hasFallen = false
      const known = { id: randomUUID(), at: Instant.fromMillis(nowMs), instance, dataDir }
      const next = level === undefined ? recovered(seen, sent) : red(seen, sent, { faults, kinds, level })
      yield* insert(store, { ...known, ...next })
      yield* written.open
    }).pipe(Effect.catchTag("StoreError", (error) => Effect.logDebug("An alert can't be written yet", error)))
  })

/** Since when Status has been in its present state. */
const seenFrom = (startedMs: number) => ({
  startedMs,
  isRed: false,
  redChangedMs: startedMs,
  hasNewKind: false,
  newKindChangedMs: startedMs,
  isCritical: false,
  criticalChangedMs: startedMs,
  /** It was below critical for long enough that the next rise is news. */
  hasFallen: false
})
type Seen = ReturnType<typeof seenFrom>

interface Now {
  readonly level: RedLevel | undefined
  readonly kinds: ReadonlyArray<string>
}

const look = (seen: Seen, sent: Sent, { kinds, level }: Now, nowMs: number): void => {
  const isRed = level !== undefined
  const isCritical = level === "critical"
  const hasNewKind = kinds.length > (sent.at(-1)?.kinds ?? kinds).length
  if (isRed !== seen.isRed) Object.assign(seen, { isRed, redChangedMs: nowMs })
  if (hasNewKind !== seen.hasNewKind) Object.assign(seen, { hasNewKind, newKindChangedMs: nowMs })
  if (isCritical !== seen.isCritical) Object.assign(seen, { isCritical, criticalChangedMs: nowMs })
  const isLower = !isCritical && nowMs - seen.criticalChangedMs >= Math.max(settleOf(sent, nowMs), trustMs)
  seen.hasFallen ||= isLower
}

const isNews = (seen: Seen, sent: Sent, nowMs: number): boolean => {
  const last = sent.at(-1)
  const settled = settleOf(sent, nowMs)
  if (seen.isRed !== (last?.status === "red")) {
    return nowMs - seen.redChangedMs >= settled && (seen.isRed || nowMs - seen.startedMs >= trustMs)
  }
  if (!seen.isRed) return false
  const rises = seen.isCritical && (last?.level !== "critical" || seen.hasFallen)
  if (rises && nowMs - seen.criticalChangedMs >= settleMs) return true
  return seen.hasNewKind && nowMs - millisOf(last) >= betweenReasonsMs && nowMs - seen.newKindChangedMs >= settled
}

type Next = Omit<AlertRecord, "at" | "dataDir" | "id" | "instance">

const red = (
  { redChangedMs }: Seen,
  sent: Sent,
  { faults, kinds, level }: { readonly faults: Faults; readonly kinds: ReadonlyArray<string>; readonly level: RedLevel }
): Next => {
  const last = sent.at(-1)
  const since = last?.status === "red" ? last.since : Instant.fromMillis(redChangedMs)
  return { status: "red", level, since, reasons: [...faults.values()].map(({ sentence }) => sentence), kinds }
}

const recovered = ({ startedMs }: Seen, sent: Sent): Next => {
  const since = sent.at(-1)?.since ?? Instant.fromMillis(startedMs)
  const reported = sent.filter((each) => each.since === since)
  const level = reported.some((each) => each.level === "critical") ? "critical" : "degraded"
  return { status: "recovered", level, since, reasons: [], kinds: [] }
}

/** The faults of the other workers that are up, one kind per worker. */
const ofOthers = Effect.gen(function* () {
  const workers = yield* (yield* Workers).all
  return workers
    .filter((worker) => worker.isUp && !worker.isThis)
    .flatMap(({ host, pid, reasonDetails, reasons }) => {
      const level = highest(reasonDetails)
      if (level === undefined) return []
      return [
        [`worker ${host} ${pid}`, { level, sentence: `The worker ${pid} on ${host}: ${reasons.join(" ")}` }] as const
      ]
    })
})

/** Undefined if nothing is wrong. */
const highest = (reasons: ReadonlyArray<{ readonly level: Level }>): RedLevel | undefined =>
  (["critical", "degraded"] as const).find((level) => reasons.some((each) => each.level === level))

/** Includes all kinds sent since Status turned red, even if they have ended, so that one that returns isn't new. */
const kindsOf = (last: AlertRecord | undefined, faults: Faults): ReadonlyArray<string> => [
  ...new Set([...(last?.status === "red" ? (last.kinds ?? faults.keys()) : []), ...faults.keys()])
]

const millisOf = (alert: AlertRecord | undefined): number =>
  alert === undefined ? 0 : Instant.toMicros(alert.at) / 1000

const settleOf = (sent: Sent, nowMs: number): number => {
  const recent = sent.filter((each) => millisOf(each) > nowMs - flappingMs).length
  return Math.min(settleMs * 2 ** recent, longestSettleMs)
}

const decoded = Schema.decodeUnknownEffect(Schema.fromJsonString(AlertRecord))

const load = (store: Store["Service"]) =>
  Effect.flatMap(
    store.run((db) => db.selectFrom("alerts").select("body").orderBy("id").execute()),
    (rows) => Effect.orDie(Effect.forEach(rows, ({ body }) => decoded(body)))
  )

const insert = (store: Store["Service"], alert: AlertRecord) =>
  store.transaction((tx) =>
    tx
      .insertInto("alerts")
      .values({ status: alert.status, body: JSON.stringify(alert), delivered_at: null })
      .execute()
  )
