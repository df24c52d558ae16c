/**
 * The EventReader: small bodies are read synchronously, large ones in a thread, because reading one of 300,000 fields
 * takes most of a second, in which no delivery would be answered.
 *
 * The thread is started for the first large body, and stopped after it has had none for a while, to give its memory
 * back. If the thread ends before it has read a body, the body is read here.
 */
import { setImmediate } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { Effect, Layer } from "effect"
import { ServiceSettings, Settings } from "../../config/Settings.ts"
import { type Event, EventReader, type Reading } from "../../src/Domain/Event.ts"
import { type Answer, Joined, type Request } from "./ConstructionApart/Protocol.ts"
import { awaitedTypes, ledgerTypes } from "./ConstructionEvents.ts"
import { optionsOf, read, type ReaderOptions } from "./ConstructionReader.ts"
import { fileOf } from "../../src/Runtime/Module.ts"

const threadFile = fileOf(new URL("./reading-thread.ts", import.meta.url))

/** A compressed body may unpack to a thousand times its size. */
const largePackedBytes = 1024
/** The number of values costs time, not the number of characters: this many take up to 50 ms. */
const manyValues = 10_000
const [comma, openBrace] = [0x2c, 0x7b]
const idleMs = 10_000

const isLarge = ({ body }: Event): boolean =>
  body[0] === openBrace ? hasManyValues(body) : body.byteLength > largePackedBytes

const hasManyValues = (body: Uint8Array): boolean => {
  if (body.byteLength < manyValues) return false
  let count = 0
  for (let at = body.indexOf(comma); at >= 0; at = body.indexOf(comma, at + 1)) if (++count > manyValues) return true
  return false
}

class ReadingThread {
  readonly #options: ReaderOptions
  #thread: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  /** One after the other. */
  read(event: Event, nowMicros: number): Promise<Reading> {
    const reading = this.#last.then(() =>
      this.#ask({ event: ownedBy(event), nowMicros }).catch(() => read(this.#options, event, nowMicros))
    )
    this.#last = reading
    return reading
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#thread?.terminate()
  }

  async #ask(first: Request): Promise<Reading> {
    clearTimeout(this.#idle)
    const thread = (this.#thread ??= this.#started())
    const joined = new Joined()
    for (let request = first; ; request = "more") {
      const reading = joined.add(await answered(thread, request))
      // Each part gets its own turn of the event loop.
      await setImmediate()
      if (reading === undefined) continue
      this.#idle = setTimeout(() => void this.close(), idleMs).unref()
      return reading
    }
  }

  #started(): Worker {
    const thread = new Worker(threadFile, { name: "reading", workerData: this.#options })
    // Without a listener, an error that no request waits for would end the process.
    thread.on("error", () => undefined)
    thread.on("exit", () => {
      if (this.#thread === thread) this.#thread = undefined
    })
    thread.unref()
    return thread
  }
}

/** A copy of just its bytes: they may be part of a large buffer, which would otherwise be copied whole. */
const ownedBy = (event: Event): Event => ({ ...event, body: Uint8Array.from(event.body) })

const answered = (thread: Worker, request: Request): Promise<Answer> => {
  const { promise, reject, resolve } = Promise.withResolvers<Answer>()
  const ended = () => reject(new Error("the reading thread has ended"))
  thread.once("message", resolve).once("exit", ended)
  thread.postMessage(request, [])
  return promise.finally(() => thread.off("message", resolve).off("exit", ended))
}

export const layer: Layer.Layer<EventReader, never, ServiceSettings> = Layer.effect(
  EventReader,
  Effect.gen(function* () {
    const options = optionsOf(yield* ServiceSettings)
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => new ReadingThread(options)),
      (each) => Effect.promise(() => each.close())
    )
    return EventReader.of({
      ledgerTypes,
      awaitedTypes,
      read: (event, nowMicros, as) =>
        isLarge(event) && as === undefined
          ? thread.read(event, nowMicros)
          : read({ ...options, ...as }, event, nowMicros)
    })
  })
)

/** As much as any worker accepts. */
const mostBytes = 64 * 1024 * 1024

/** For a verb without a worker that reads stored bodies again; needs no connection to the service. */
export const layerAlone: Layer.Layer<EventReader, never, Settings> = Layer.effect(
  EventReader,
  Effect.map(Settings, ({ ledger: { reading } }) => {
    const options = { aliases: {}, contentsAt: [], trustTypeHeader: false, ...reading, maximumBytes: mostBytes }
    return EventReader.of({
      ledgerTypes,
      awaitedTypes,
      read: (event, nowMicros, as) => read({ ...options, ...as }, event, nowMicros)
    })
  })
)
