/**
 * The main thread's end of a receiver's thread, from its start to its end.
 */
import { MessageChannel, type MessagePort } from "node:worker_threads"
import { urlOf } from "../../Runtime/Module.ts"
import type { Host } from "../../Stores/Deliveries.ts"
import type { Known, Report, Said, Start, Told } from "./Messages.ts"

interface Hooks {
  readonly reported: (report: Report) => void
  /** Resolves once new secrets may be known. */
  readonly settled: () => Promise<void>
}

/** The thread can't listen. */
export class Deaf extends Error {
  readonly code: string | undefined

  constructor({ code, message }: { readonly code: string | undefined; readonly message: string }) {
    super(message)
    this.code = code
  }
}

const module = urlOf(new URL("./receiving.ts", import.meta.url)).href

const patienceMs = 500

export class Link {
  readonly #port: MessagePort
  readonly #hooks: Hooks
  readonly #open = new Map<number, () => void>()
  #nextId = 1
  /** The port on which it listens. */
  listensOn = 0
  readonly #closed: Promise<void>
  #ended: Promise<unknown> = Promise.resolve()
  #isOpen = true

  private constructor(port: MessagePort, hooks: Hooks) {
    this.#port = port
    this.#hooks = hooks
    // Its last messages arrive before this.
    this.#closed = new Promise((resolve) =>
      port.once("close", () => {
        this.#isOpen = false
        for (const done of this.#open.values()) done()
        this.#open.clear()
        resolve()
      })
    )
  }

  /** Resolves when it listens; rejects with `Deaf` if it can't. */
  static async open(host: Host, start: Start, hooks: Hooks): Promise<Link> {
    const { port1: port, port2: theirs } = new MessageChannel()
    const link = new Link(port, hooks)
    const { ended } = await host({ module, data: start, port: theirs })
    link.#ended = ended
    await link.#listening()
    return link
  }

  /** Resolves with the reason once it has ended. */
  async ended(): Promise<unknown> {
    await this.#closed
    // A moment after its port has closed, unless the thread continues without it.
    return Promise.race([this.#ended, new Promise((resolve) => setTimeout(resolve, patienceMs).unref())])
  }

  /** Resolves once the thread uses what is known now, or has ended. */
  know(known: Known): Promise<void> {
    return this.#ask((id) => ({ kind: "known", id, known }))
  }

  /** True once everything so far is reported or the thread has ended; false if it hasn't answered in time. */
  async flush(withinMs: number): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, withinMs, false)
    const isDone = await Promise.race([this.#ask((id) => ({ kind: "flush", id })).then(() => true), late])
    clearTimeout(timer)
    return isDone
  }

  /** Answers requests in progress, reports, and ends. */
  async close(): Promise<void> {
    this.#tell({ kind: "close" })
    await this.#closed
  }

  #ask(message: (id: number) => Told): Promise<void> {
    if (!this.#isOpen) return Promise.resolve()
    return new Promise((resolve) => {
      const id = this.#nextId++
      this.#open.set(id, resolve)
      this.#tell(message(id))
    })
  }

  #tell(message: Told): void {
    this.#port.postMessage(message, [])
  }

  #listening(): Promise<void> {
    return new Promise((resolve, reject) => {
      void this.ended().then(reject)
      this.#port.on("message", (said: Said) => {
        if (said.kind === "listening") {
          this.listensOn = said.port
          resolve()
        } else if (said.kind === "deaf") reject(new Deaf(said))
        else this.#heard(said)
      })
    })
  }

  #heard(said: Exclude<Said, { readonly kind: "deaf" | "listening" }>): void {
    if (said.kind === "report") {
      this.#hooks.reported(said.report)
      this.#tell({ kind: "heard" })
    } else if (said.kind === "unknown") {
      void this.#hooks.settled().then(() => this.#tell({ kind: "settled", id: said.id }))
    } else {
      this.#open.get(said.id)?.()
      this.#open.delete(said.id)
    }
  }
}
