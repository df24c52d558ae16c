/**
 * Streams PostgreSQL's COPY … TO STDOUT into a file or pipe, which `pg` doesn't support itself.
 *
 * Memory stays flat: while the pipe is full, nothing is read from the server. Returns only after the server has confirmed
 * that it sent everything. Then every row is in the pipe, or a row was longer than `room` and nothing from it on is.
 */
import type { FileHandle } from "node:fs/promises"
import type { Client, Connection, Submittable } from "pg"

export interface Copied {
  readonly rows: number
  /** The longest row, in bytes. */
  readonly longest: number
}

/** Missing from pg's types. */
interface Wire {
  readonly query: (text: string) => void
}

/** One row. Its bytes belong to pg, which overwrites them with the next message. */
interface Message {
  readonly chunk: Buffer
}

export const copyOut = async (client: Client, text: string, pipe: FileHandle, room: number): Promise<Copied> => {
  const stream = client.connection.stream
  const written = new Written(pipe, stream)
  let longest = 0
  const rows = await new Promise<number>((resolve, reject) => {
    let tag = ""
    const copy = {
      submit: (connection: Connection) => (connection as unknown as Wire).query(text),
      handleError: reject,
      handleCommandComplete: (message: { readonly text: string }) => void (tag = message.text),
      handleReadyForQuery: () => resolve(Number(/^COPY (\d+)$/.exec(tag)?.[1])),
      handleCopyData: ({ chunk }: Message) => {
        longest = Math.max(longest, chunk.byteLength)
        if (longest <= room) written.add(chunk)
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
  return { rows, longest }
}

const chunkBytes = 256 * 1024

/** Collects rows into chunks and writes one while the next one fills. */
class Written {
  /** Rejects when a write fails; otherwise never settles. */
  readonly failed: Promise<never>
  readonly #pipe: FileHandle
  readonly #source: { readonly pause: () => unknown; readonly resume: () => unknown }
  #fail: (cause: unknown) => void = () => undefined
  #filling: Buffer = Buffer.allocUnsafe(chunkBytes)
  #spare: Buffer | undefined = Buffer.allocUnsafe(chunkBytes)
  #length = 0
  #writing: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(pipe: FileHandle, source: { readonly pause: () => unknown; readonly resume: () => unknown }) {
    this.#pipe = pipe
    this.#source = source
    this.failed = new Promise((_, reject) => void (this.#fail = reject))
    this.failed.catch(() => undefined)
  }

  add(row: Buffer): void {
    if (this.#length + row.byteLength > this.#filling.byteLength) this.#send(row.byteLength)
    this.#length += row.copy(this.#filling, this.#length)
  }

  async end(): Promise<void> {
    this.#send(0)
    await Promise.race([this.#writing, this.failed])
  }

  /** Continues with an empty chunk that has room for `next` bytes. */
  #send(next: number): void {
    const chunk = this.#filling
    const length = this.#length
    this.#filling = next > chunkBytes ? Buffer.allocUnsafe(next) : (this.#spare ?? Buffer.allocUnsafe(chunkBytes))
    this.#spare = undefined
    this.#length = 0
    this.#waiting += 1
    if (this.#waiting > 1) this.#source.pause()
    this.#writing = this.#writing.then(() => this.#write(chunk, length)).catch((cause) => this.#fail(cause))
  }

  async #write(chunk: Buffer, length: number): Promise<void> {
    for (let sent = 0; sent < length;) sent += (await this.#pipe.write(chunk, sent, length - sent)).bytesWritten
    if (chunk.byteLength === chunkBytes) this.#spare = chunk
    this.#waiting -= 1
    if (this.#waiting <= 1) this.#source.resume()
  }
}
