/**
 * For a verb without a worker: the books and bodies are read as soon as the Store is open, while the warehouse is still
 * being opened. The code that reads the books is loaded while the Store is being opened.
 */
import { Context, Effect, Fiber, Layer } from "effect"
import type { EventReader } from "../../Domain/Event.ts"
import { mostDifferences } from "../../Ledger/Verify.ts"
import { Store, type StoreError } from "../../Stores/Store.ts"
import { type Signed, signed } from "./Signed.ts"
import { beginWith, started, type Thread, threadsAt } from "./Taking.ts"

/** As many threads as an embedded Store needs. */
export class Threads extends Context.Service<Threads, ReadonlyArray<Thread>>()("siteledger/Operate/Audit/Threads") {
  static readonly layer: Layer.Layer<Threads> = Layer.effect(
    Threads,
    Effect.suspend(() => started(threadsAt({ readers: undefined })))
  )
}

/** What it finds, once it is finished. */
export class Ahead extends Context.Service<Ahead, Effect.Effect<Signed, StoreError>>()(
  "siteledger/Operate/Audit/Ahead"
) {
  static readonly layer: Layer.Layer<Ahead, StoreError, EventReader | Store | Threads> = Layer.effect(
    Ahead,
    Effect.gen(function* () {
      const threads = yield* Threads
      const { readAt } = yield* Store
      const more = readAt === undefined ? 0 : threadsAt(readAt) - threads.length
      const begun = yield* beginWith([...threads, ...(yield* started(more))])
      const finding = yield* Effect.forkScoped(signed(begun, mostDifferences), { startImmediately: true })
      return Fiber.join(finding)
    })
  )
}
