/**
 * Streams PostgreSQL's COPY … TO STDOUT into a file or pipe, which `pg` doesn't support itself.
 *
 * Memory stays flat: backpressure from the pipe stops reading from the server. Returns only after the server has
 * confirmed that it sent everything. Then every row is in the pipe; or, if a row was longer than `room`, only the rows
 * before it are.
 */
import type { FileHandle } from "node:fs/promises"
import type { Connection, Submittable } from "pg"
import type { TakeRows } from "./Frames.ts"
import type { CopyingClient } from "./Guarded.ts"

export interface Copied {
  readonly rows: number
  /** The longest row, in bytes. */
  readonly longest: number
}

/** Missing from pg's types. */
interface Wire {
  readonly query: (text: string) => void
}

export const copyOut = async (client: CopyingClient, text: string, pipe: FileHandle, room: number): Promise<Copied> => {
  const stream = client.connection.stream
  const written = new Written(pipe, stream, room)
  const rows = await new Promise<number>((resolve, reject) => {
    let tag = ""
    const copy = {
      submit: (connection: Connection) => {
        client.take(written)
        ;(connection as unknown as Wire).query(text)
      },
      handleError: reject,
      handleCommandComplete: (message: { readonly text: string }) => void (tag = message.text),
      handleReadyForQuery: () => {
        client.take(undefined)
        resolve(Number(/^COPY (\d+)$/.exec(tag)?.[1]))
      }
    }
    // The pipe's reader is gone, so the server must stop too.
    written.failed.catch((cause: unknown) => {
      reject(cause)
      stream.destroy()
    })
    client.query(copy as unknown as Submittable)
  })
  await written.end()
  return { rows, longest: written.longest }
}

const chunkBytes = 256 * 1024

/** A source that can be paused. */
interface Source {
  readonly pause: () => unknown
  readonly resume: () => unknown
}

/** Collects rows into chunks and writes one while the next one fills. */
class Written implements TakeRows {
  /** In bytes. */
  longest = 0
  /** Rejects when a write fails; otherwise never settles. */
  readonly failed: Promise<never>
  readonly #pipe: FileHandle
  readonly #source: Source
  readonly #room: number
  #fail: (cause: unknown) => void = () => undefined
  #filling: Buffer = Buffer.allocUnsafe(chunkBytes)
  readonly #spare: Array<Buffer> = []
  #length = 0
  #writing: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(pipe: FileHandle, source: Source, room: number) {
    this.#pipe = pipe
    this.#source = source
    this.#room = room
    this.failed = new Promise((_, reject) => void (this.#fail = reject))
    this.failed.catch(() => undefined)
  }

  begin(length: number): void {
    this.longest = Math.max(this.longest, length)
  }

  add(bytes: Buffer, from: number, to: number): void {
    if (this.longest > this.#room) return
    for (let at = from; at < to;) {
      if (this.#length === chunkBytes) this.#send()
      const copied = bytes.copy(this.#filling, this.#length, at, to)
      this.#length += copied
      at += copied
    }
  }

  async end(): Promise<void> {
    this.#send()
    await Promise.race([this.#writing, this.failed])
  }

  /** Continues with an empty chunk. */
  #send(): void {
    const chunk = this.#filling
    const length = this.#length
    this.#filling = this.#spare.pop() ?? Buffer.allocUnsafe(chunkBytes)
    this.#length = 0
    this.#waiting += 1
    if (this.#waiting > 1) this.#source.pause()
    this.#writing = this.#writing.then(() => this.#write(chunk, length)).catch((cause) => this.#fail(cause))
  }

  async #write(chunk: Buffer, length: number): Promise<void> {
    for (let sent = 0; sent < length;) sent += (await this.#pipe.write(chunk, sent, length - sent)).bytesWritten
    this.#spare.push(chunk)
    this.#waiting -= 1
    if (this.#waiting <= 1) this.#source.resume()
  }
}
