/**
 * The inbox's files as the main thread uses them: it reads acknowledged frames, and asks the thread to write.
 *
 * If the thread ends unexpectedly, every open request fails and the next one starts another thread, which first
 * recovers the files. If a read finds damage, the thread repairs it, and the read is repeated.
 */
import type { KeyObject } from "node:crypto"
import { type MessagePort, Worker } from "node:worker_threads"
import { fileOf } from "../../Runtime/Module.ts"
import { batchBytes, type Guest } from "../Deliveries.ts"
import type { Frame } from "./Frame.ts"
import type { InArchive, Leaving } from "./Leave.ts"
import { type Answer, type Incoming, packed, type Request, type Start, type ThreadStart } from "./Protocol.ts"
import { listed } from "./Segment.ts"
import { Reader } from "./Reader.ts"
import { DamagedSegment, type Range } from "./SegmentFile.ts"
import type { Found } from "./Writer.ts"

const threadFile = fileOf(new URL("./inbox-thread.ts", import.meta.url))

type Asked = Request extends infer R ? (R extends Request ? Omit<R, "id"> : never) : never

interface Open {
  readonly resolve: (answer: Answer) => void
  readonly reject: (cause: unknown) => void
}

const nothing: Found = { lost: [], repaired: [], completed: 0 }

export class Segments {
  readonly #start: Start
  readonly #tell: (found: Found) => Promise<void>
  readonly #reader: Reader
  readonly #open = new Map<number, Open>()
  #archives: ReadonlyArray<InArchive>
  #untold: ReadonlyArray<Found> = []
  #thread: Worker | undefined
  #started: Promise<Answer> | undefined
  #ending = Promise.withResolvers<unknown>()
  #nextId = 1
  /** Written by the thread. */
  readonly #last = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))

  /** `tell`: is told what starts and checks have found, if anything, before the request completes. */
  constructor(start: Start, tell: (found: Found) => Promise<void>) {
    this.#start = start
    this.#archives = start.archives ?? []
    this.#tell = tell
    this.#reader = new Reader(start.folder)
  }

  /** Recovers the files. */
  async start(): Promise<void> {
    await this.#run()
    await this.#tellAll()
  }

  get key(): KeyObject {
    return this.#start.key
  }

  /** The first numbers of all closed segments. */
  get firsts(): ReadonlyArray<number> {
    return listed(this.#start.folder).slice(0, -1)
  }

  /** The number of the last frame that is on disk. */
  get last(): number {
    return Number(Atomics.load(this.#last, 0))
  }

  /** Returns how many bodies were new, once all are on disk. */
  async receive(batch: ReadonlyArray<Incoming>): Promise<number> {
    const group = packed(batch)
    return (await this.#ask({ kind: "receive", ...group }, [group.bytes.buffer])).fresh ?? 0
  }

  /** Resolves once the guest is loaded. `ended`: resolves with the reason once the thread has ended. */
  async host(guest: Guest): Promise<{ readonly ended: Promise<unknown> }> {
    await this.#run()
    const { promise: ended } = this.#ending
    await this.#ask({ kind: "host", ...guest }, [guest.port])
    return { ended }
  }

  /** Appends frames with these numbers; numbers between them are skipped. */
  async put(frames: ReadonlyArray<Frame>): Promise<void> {
    await this.#ask({ kind: "put", frames })
  }

  /** Restores lost frames under their old numbers. */
  async fill(frames: ReadonlyArray<Frame>): Promise<void> {
    await this.#ask({ kind: "fill", frames })
    this.#reader.forget()
  }

  /** Reads all of the segment with this number and of its copy, and repairs damage. */
  async check(number: number): Promise<Found> {
    const { found = nothing } = await this.#ask({ kind: "check", number })
    this.#reader.forget()
    await this.#tellAll()
    return found
  }

  /** Removes what an archive has, except for what stays. */
  async leave(leaving: Leaving): Promise<void> {
    this.#archives = [...this.#archives.filter(({ from }) => from !== leaving.archive.from), leaving.archive]
    try {
      await this.#ask({ kind: "leave", ...leaving })
    } finally {
      this.#reader.forget()
    }
  }

  /** Runs a read, and repeats it once if it found damage. */
  async reading<A>(read: () => A | Promise<A>): Promise<A> {
    try {
      return await read()
    } catch (cause) {
      if (!(cause instanceof DamagedSegment)) throw cause
      await this.check(cause.number)
      return read()
    }
  }

  /** For reading beside it, up to the current last frame. */
  get snapshot(): { readonly reader: Reader; readonly last: number } {
    return { reader: new Reader(this.#start.folder), last: this.last }
  }

  /** Frames after a number, in order: as many as fit into a batch. */
  after(number: number, limit: number): ReadonlyArray<Frame> {
    return this.#reader.after(number, this.last, limit, batchBytes)
  }

  /** The same in the form of the file, from one segment; undefined if there are none. */
  range(after: number, limit: number): Range | undefined {
    return this.#reader.range(after, this.last, limit, batchBytes)
  }

  at(number: number): Frame | undefined {
    return this.#reader.at(number, this.last)
  }

  async close(): Promise<void> {
    const thread = this.#thread
    if (thread !== undefined) {
      const ended = new Promise((resolve) => thread.once("exit", resolve))
      await this.#ask({ kind: "close" }).catch(() => thread.terminate())
      await ended
    }
    this.#reader.forget()
  }

  async #ask(asked: Asked, transfer: ReadonlyArray<ArrayBuffer | MessagePort> = []): Promise<Answer> {
    await this.#run()
    await this.#tellAll()
    const id = this.#nextId++
    const answer = new Promise<Answer>((resolve, reject) => this.#open.set(id, { resolve, reject }))
    this.#thread?.postMessage({ id, ...asked }, [...transfer])
    return answer
  }

  #run(): Promise<Answer> {
    if (this.#started !== undefined) return this.#started
    const thread = new Worker(threadFile, {
      name: "inbox",
      workerData: { ...this.#start, archives: this.#archives, last: this.#last } satisfies ThreadStart
    })
    this.#thread = thread
    this.#ending = Promise.withResolvers()
    let why: unknown = new Error("the inbox's thread has ended")
    const inOrder = new Promise<Answer>((resolve, reject) => this.#open.set(0, { resolve, reject }))
    thread.on("message", (answer: Answer) => this.#answered(answer))
    thread.on("error", (cause) => (why = cause))
    // Only now may another thread write.
    thread.on("exit", () => this.#ended(why))
    this.#reader.forget()
    this.#started = inOrder
    return inOrder
  }

  /** Repeated at the next request if it fails. */
  async #tellAll(): Promise<void> {
    for (const found of this.#untold) {
      this.#untold = this.#untold.slice(1)
      try {
        await this.#tell(found)
      } catch (cause) {
        this.#untold = [...this.#untold, found]
        throw cause
      }
    }
  }

  #answered(answer: Answer): void {
    const found = answer.found ?? nothing
    if (found.lost.length + found.repaired.length + found.completed > 0) this.#untold = [...this.#untold, found]
    const open = this.#open.get(answer.id)
    this.#open.delete(answer.id)
    if (answer.error === undefined) open?.resolve(answer)
    else open?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }))
  }

  #ended(cause: unknown): void {
    this.#thread = undefined
    this.#started = undefined
    this.#ending.resolve(cause)
    for (const { reject } of this.#open.values()) reject(cause)
    this.#open.clear()
  }
}
