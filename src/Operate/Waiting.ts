/**
 * Waiting: money that waits for a person, as open holds and as quarantined deliveries.
 *
 * Each is a notice at once, and critical from a configured age on. Every two seconds the leader checks whether either
 * may have changed; it reads them only then, and once a minute. Nothing is stored: after a start it looks again.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { Settings } from "../../config/Settings.ts"
import * as Instant from "../Domain/Instant.ts"
import * as QuarantinedMoney from "../Intake/QuarantinedMoney.ts"
import * as OpenHolds from "../Ledger/OpenHolds.ts"
import * as Text from "../Query/Text.ts"
import * as Beat from "../Runtime/Beat.ts"
import { led, whileFollowing } from "../Runtime/Leadership.ts"
import { type Level, Reasons } from "../Runtime/Reasons.ts"
import { Store, type StoreError } from "../Stores/Store.ts"

export interface WaitingOptions {
  /** The event types that the ledger posts. */
  readonly moneyTypes: ReadonlyArray<string>
  /** From this age on it is critical. */
  readonly criticalAfter: Duration.Duration
}

export interface Waits {
  readonly holds: OpenHolds.OpenHolds
  readonly quarantined: QuarantinedMoney.QuarantinedMoney
}

/** One for each kind that waits; `since` is the oldest. */
export interface WaitingReason {
  readonly key: (typeof keys)[keyof typeof keys]
  readonly level: Extract<Level, "critical" | "notice">
  readonly sentence: string
  readonly since: Instant.Instant
}

export class Waiting extends Context.Service<
  Waiting,
  {
    /** Reads them now. */
    readonly look: Effect.Effect<Waits, StoreError>
    readonly reasonsFor: (waits: Waits) => Effect.Effect<ReadonlyArray<WaitingReason>>
  }
>()("siteledger/Waiting") {
  static readonly layerWith = (options: WaitingOptions): Layer.Layer<Waiting, never, Reasons | Store> =>
    Layer.effect(
      Waiting,
      Effect.gen(function* () {
        const context = yield* Effect.context<Store>()
        const look = Effect.provideContext(
          Effect.all({
            holds: OpenHolds.openHolds,
            quarantined: QuarantinedMoney.quarantinedMoney(options.moneyTypes)
          }),
          context
        )
        const reasonsFor = (waits: Waits) =>
          Effect.map(Clock.currentTimeMillis, (nowMs) => reasonsOf(waits, options.criticalAfter, nowMs))
        const show = yield* shower
        const watch = watcher(look, (waits) => Effect.flatMap(reasonsFor(waits), show))
        yield* Effect.forkScoped(led("the watch over what waits", Effect.andThen(watch, Beat.next(lookEvery))))
        // From then on, the worker that leads shows them.
        yield* Effect.forkScoped(
          whileFollowing("leaving to the leader what waits", Effect.andThen(show([]), Effect.never))
        )
        return Waiting.of({ look, reasonsFor })
      })
    )

  static readonly layerFor = (
    moneyTypes: ReadonlyArray<string>
  ): Layer.Layer<Waiting, never, Reasons | Settings | Store> =>
    Layer.unwrap(
      Effect.map(Settings, ({ holdCriticalAfter }) =>
        Waiting.layerWith({ moneyTypes, criticalAfter: holdCriticalAfter })
      )
    )
}

const lookEvery = Duration.seconds(2)
/** In case something has changed that no stamp shows. */
const lookAnywayMs = 60_000
/** If there are many holds, they are read less often: 20,000 take 45 ms, in pages of 4 ms. */
const millisPerHold = 1

const watcher = <R>(look: Effect.Effect<Waits, StoreError>, show: (waits: Waits) => Effect.Effect<void, never, R>) => {
  let seen: { readonly stamp: string; readonly atMs: number; readonly waits: Waits } | undefined
  return Effect.gen(function* () {
    const stamp = (yield* Effect.all([OpenHolds.stamp, QuarantinedMoney.stamp], { concurrency: 2 })).join(", ")
    const nowMs = yield* Clock.currentTimeMillis
    const ageMs = nowMs - (seen?.atMs ?? 0)
    const isStale = seen?.stamp !== stamp && ageMs >= (seen?.waits.holds.count ?? 0) * millisPerHold
    if (seen === undefined || isStale || ageMs >= lookAnywayMs) seen = { stamp, atMs: nowMs, waits: yield* look }
    yield* show(seen.waits)
  }).pipe(Effect.catchTag("StoreError", (error) => Effect.logDebug("What waits can't be read yet", error)))
}

const keys = { holds: "open holds", quarantined: "quarantined money" } as const

const shower = Effect.map(Reasons, (reasons) =>
  Effect.fnUntraced(function* (active: ReadonlyArray<WaitingReason>) {
    for (const { key, level, sentence } of active) yield* reasons.set(key, sentence, level)
    for (const key of Object.values(keys)) if (!active.some((each) => each.key === key)) yield* reasons.clear(key)
  })
)

export const reasonsOf = (
  { holds, quarantined }: Waits,
  criticalAfter: Duration.Duration,
  nowMs: number
): ReadonlyArray<WaitingReason> => {
  const reason = (
    key: WaitingReason["key"],
    oldest: Oldest | null,
    says: (since: string) => string
  ): ReadonlyArray<WaitingReason> => {
    if (oldest === null) return []
    const { since } = oldest
    const isOld = nowMs - Instant.toMicros(since) / 1000 >= Duration.toMillis(criticalAfter)
    const waited = `The oldest has waited since ${since}${isOld ? `, longer than ${tooLong(criticalAfter)}` : ""}:`
    return [{ key, level: isOld ? "critical" : "notice", sentence: says(waited), since }]
  }
  return [
    ...reason(keys.holds, holds.oldest, (waited) => holdsSentence(holds, waited)),
    ...reason(keys.quarantined, quarantined.oldest, (waited) => quarantinedSentence(quarantined, waited))
  ]
}

interface Oldest {
  readonly since: Instant.Instant
}

const tooLong = (criticalAfter: Duration.Duration): string =>
  `${Duration.format(criticalAfter)} (SITELEDGER_LEDGER_HOLD_CRITICAL_AFTER)`

const holdsSentence = ({ count, oldest, sums, unknownAmounts }: OpenHolds.OpenHolds, waited: string): string => {
  const known = sums.map(({ amount, count: of, currency }) => `${amount} ${currency ?? "without a currency"} (${of})`)
  const unknown = unknownAmounts === 0 ? [] : [`${unknownAmounts} without a known amount`]
  const [subject, verb] = count === 1 ? ["1 hold", "waits"] : [`${count} holds`, "wait"]
  return (
    `${subject} ${verb} for a person or for an event: ${listed([...known, ...unknown])}. ` +
    `${waited} IPC ${Text.visible(oldest?.ipcId ?? "")}, ${oldest?.reason}. ` +
    "`siteledger ledger holds` lists them with their questions."
  )
}

const quarantinedSentence = ({ count, oldest }: QuarantinedMoney.QuarantinedMoney, waited: string): string => {
  const [subject, verb, it] = count === 1 ? ["1 delivery", "waits", "it"] : [`${count} deliveries`, "wait", "them"]
  return (
    `${subject} about money ${verb} in quarantine, so nothing is posted by ${it}. ` +
    `${waited} ${Text.visible(oldest?.type ?? "of an unknown type")}, ${oldest?.reason}, ` +
    `event id ${Text.visible(oldest?.eventId ?? "")}. \`construction.events\` shows each with its reason; when the ` +
    "cause is removed, `siteledger replay` reads them again."
  )
}

const listed = (parts: ReadonlyArray<string>): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`
