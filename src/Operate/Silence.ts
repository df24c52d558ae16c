/**
 * Silence: deliveries stop while lists still change. Either nothing happened that causes an event, or the service has
 * stopped sending, which would otherwise go unnoticed. So a person must look.
 *
 * It is measured from the last delivery or our start, whichever is later. Only changes seen after the first pass since
 * the start count: earlier ones may have happened while we were down. The next delivery ends it.
 */
import { Clock, Duration, Effect, Layer } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import { Inbox } from "../Intake/Inbox.ts"
import * as Instant from "../Domain/Instant.ts"
import { entityNames } from "../Domain/Resource.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Keyring } from "../Intake/Secrets/Keyring.ts"
import { Source } from "../Walk/Source.ts"
import { shownUrl } from "../Intake/Subscription.ts"
import { Walk } from "../Walk/Walk.ts"
import { lastChangeMs } from "../Stores/Evidence.ts"

export interface SilenceOptions {
  /** The time between two walks; changes can't be seen more often. */
  readonly walkEvery: Duration.Duration
  /** Where deliveries are sent, and where we listen. */
  readonly route: string
}

const shortest = Duration.minutes(15)
const lookEvery = Duration.minutes(1)
/** How soon the next delivery is noticed. */
const lookAgain = Duration.seconds(1)
const reasonKey = "silence"

export const layerWith = (options: SilenceOptions) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const isSilent = yield* watcher(options)
      const turn = Effect.flatMap(isSilent, (silent) => Effect.sleep(silent ? lookAgain : lookEvery))
      yield* Effect.forkScoped(led("the watch for silence", turn))
    })
  )

export const layer = Layer.unwrap(
  Effect.map(ServiceSettings, ({ walkEvery, webhookListen: { host, port }, webhookUrl }) =>
    layerWith({
      walkEvery,
      route: `${shownUrl(webhookUrl)} still leads to ${host}:${port} (SITELEDGER_WEBHOOK_LISTEN)`
    })
  )
)

const watcher = ({ route, walkEvery }: SilenceOptions) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const startedMs = yield* Clock.currentTimeMillis
    const longestMs = Duration.toMillis(Duration.max(Duration.times(walkEvery, 2), shortest))
    const firstEnds = new Map<string, number>()
    return Effect.gen(function* () {
      yield* noteFirstEnds(firstEnds, startedMs)
      const deliveredMs = yield* lastDeliveryMs
      const quietSinceMs = Math.max(deliveredMs, startedMs)
      const isQuiet = (yield* Clock.currentTimeMillis) - quietSinceMs > longestMs
      const changedMs = isQuiet ? yield* lastFreshChangeMs(firstEnds) : undefined
      if (changedMs === undefined || changedMs <= quietSinceMs) {
        yield* reasons.clear(reasonKey)
        return false
      }
      yield* reasons.set(reasonKey, sentence(changedMs, quietSinceMs, route))
      return true
    })
  })

/** When each list ended its first pass since our start. */
const noteFirstEnds = Effect.fnUntraced(function* (firstEnds: Map<string, number>, startedMs: number) {
  const walk = yield* Walk
  for (const [resource, { at }] of Object.entries(yield* walk.status)) {
    const endMs = at === null ? 0 : Instant.toMicros(at) / 1000
    if (endMs > startedMs && !firstEnds.has(resource)) firstEnds.set(resource, endMs)
  }
})

/** Includes duplicates; 0 if there was none. */
const lastDeliveryMs = Effect.gen(function* () {
  const inbox = yield* Inbox
  const keyring = yield* Keyring
  const stored = yield* Effect.orElseSucceed(inbox.lastReceivedAt, () => null)
  const used = keyring.valid().map(({ lastUsedMs }) => lastUsedMs ?? 0)
  return Math.max(0, stored === null ? 0 : Instant.toMicros(stored) / 1000, ...used)
})

const known: ReadonlySet<string> = new Set(entityNames)

/** Undefined until every list has ended a pass since our start and one has changed after that. */
const lastFreshChangeMs = Effect.fnUntraced(function* (firstEnds: ReadonlyMap<string, number>) {
  // Lists that a person has switched on change without an event.
  const names = (yield* Source).lists.map(({ resource }) => resource).filter((name) => known.has(name))
  const ends = names.map((name) => firstEnds.get(name) ?? Infinity)
  const changedMs = yield* Effect.orElseSucceed(lastChangeMs(names), () => undefined)
  return changedMs !== undefined && changedMs > Math.max(...ends) ? changedMs : undefined
})

const sentence = (changedMs: number, quietSinceMs: number, route: string): string =>
  `Lists still change (last seen at ${Instant.fromMillis(changedMs)}), but no delivery has come since ` +
  `${Instant.fromMillis(quietSinceMs)}. Either nothing has happened that has an event, or the service no longer ` +
  "sends. Check in its Admin → API → Webhooks whether the subscription still exists and whether deliveries have failed, " +
  `check that ${route}, and fire a test event.`
