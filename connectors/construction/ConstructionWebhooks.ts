/**
 * What the receiver needs to know about the service's deliveries: how they are signed (`ConstructionSigning`), with
 * which secrets, where they may arrive, and when the service retries them (interface document §8).
 *
 * An old subscription's secret stays valid until a person ends it, because its deliveries may be retried for a day and
 * replayed at any time.
 */
import { Context, Duration, Effect, Layer } from "effect"
import { Signatures } from "../../src/Intake/Receiver/Signatures.ts"
import { Keyring, type Secret } from "../../src/Intake/Secrets/Keyring.ts"
import { urlOf } from "../../src/Runtime/Module.ts"

/** Shared by the receiver and the subscription: the paths for deliveries, and which deliveries were accepted. */
export class Callbacks extends Context.Service<
  Callbacks,
  {
    /** Adds a callback URL at which deliveries may arrive, in addition to the configured one. */
    readonly addUrl: (url: string) => void
    readonly paths: () => ReadonlyArray<string>
    /** Calls `tell` after each new one. Returns a function that stops this. */
    readonly onNewPath: (tell: () => void) => () => void
    /** While a subscription is being created, its secret may be missing for a moment. */
    readonly creating: () => void
    readonly settled: () => void
    readonly whenSettled: () => Promise<void>
    /**
     * Set this to be called after deliveries were accepted; it is told whether they are pings and which secret signed
     * them.
     */
    onAccepted: (isPing: boolean, secret: Secret) => void
  }
>()("siteledger/construction/Callbacks") {
  static readonly layer: Layer.Layer<Callbacks> = Layer.sync(Callbacks, () => {
    const paths = new Set<string>()
    const tellers = new Set<() => void>()
    let inFlight: PromiseWithResolvers<void> | undefined
    const settled = (): void => {
      inFlight?.resolve()
      inFlight = undefined
    }
    return Callbacks.of({
      addUrl: (url) => {
        paths.add(new URL(url).pathname)
        for (const tell of tellers) tell()
      },
      paths: () => [...paths],
      onNewPath: (tell) => {
        tellers.add(tell)
        return () => tellers.delete(tell)
      },
      creating: () => {
        inFlight ??= Promise.withResolvers()
      },
      settled,
      whenSettled: async () => {
        if (inFlight === undefined) return
        const patience = AbortSignal.timeout(creationPatienceMs)
        const outOfPatience = new Promise<void>((resolve) => patience.addEventListener("abort", () => resolve()))
        await Promise.race([inFlight.promise, outOfPatience])
      },
      onAccepted: () => undefined
    })
  })
}

/** How much earlier than the answer with its secret a ping may arrive. */
const creationPatienceMs = 5_000

export const layer: Layer.Layer<Signatures, never, Keyring | Callbacks> = Layer.effect(
  Signatures,
  Effect.gen(function* () {
    const keyring = yield* Keyring
    const callbacks = yield* Callbacks
    return Signatures.of({
      module: urlOf(new URL("./ConstructionSigning.ts", import.meta.url)),
      secrets: keyring.held,
      formerPaths: callbacks.paths,
      onChange: (tell) => {
        const stops = [keyring.onChange(tell), callbacks.onNewPath(() => void tell())]
        return () => stops.forEach((stop) => stop())
      },
      // Concurrently, because each may take half of the time after which the service gives up (interface document
      // §3.2).
      settled: async () => {
        await Promise.all([keyring.lookAgain(), callbacks.whenSettled()])
      },
      accepted: (isPing, secret, count) => {
        keyring.used(secret, count)
        callbacks.onAccepted(isPing, secret)
      }
    })
  })
)

/** When the service retries a delivery, counted from its first attempt (interface document §8). */
export const retrySchedule: ReadonlyArray<Duration.Duration> = [
  Duration.zero,
  Duration.minutes(1),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(6),
  Duration.hours(24)
]
