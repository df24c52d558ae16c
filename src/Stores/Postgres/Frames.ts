/**
 * Takes the rows of a COPY out of a connection's bytes before pg reads them: pg creates an object for each row, which
 * takes longer than copying its bytes. Everything else goes to pg unchanged. Pure.
 */

/** Receives the rows of one COPY. */
export interface TakeRows {
  /** A row of this many bytes begins; the bytes come next, in any number of pieces. */
  readonly begin: (length: number) => void
  readonly add: (bytes: Buffer, from: number, to: number) => void
}

/** A message begins with its type and its length, which counts its own four bytes and the body. */
const headerBytes = 5
const lengthBytes = 4
/** The type of a row: "d". */
const copyData = 0x64

export class Frames {
  /** Undefined if pg gets the rows too. Changes only between two statements. */
  take: TakeRows | undefined
  readonly #others: (bytes: Buffer) => void
  readonly #header = Buffer.alloc(headerBytes)
  #headerLength = 0
  /** Bytes left of the message, after its header. */
  #left = 0
  #taken: TakeRows | undefined

  constructor(others: (bytes: Buffer) => void) {
    this.#others = others
  }

  /** Bytes as they arrive, split at arbitrary positions. */
  read(bytes: Buffer): void {
    let at = 0
    /** The first byte that pg hasn't received. */
    let from = 0
    while (at < bytes.length) {
      const isRow = this.#left > 0 ? this.#taken !== undefined : this.#begins(bytes, at)
      const to = this.#left > 0 ? this.#rest(bytes, at) : this.#head(bytes, at)
      if (isRow) {
        if (from < at) this.#others(bytes.subarray(from, at))
        from = to
      }
      at = to
    }
    if (from < at) this.#others(bytes.subarray(from, at))
  }

  /** Whether the message whose header has been read at this place is a row to be taken. */
  #begins(bytes: Buffer, at: number): boolean {
    if (this.#headerLength === 0) this.#taken = bytes[at] === copyData ? this.take : undefined
    return this.#taken !== undefined
  }

  /** Returns the end of the header, or of the part of it that has arrived. */
  #head(bytes: Buffer, at: number): number {
    const to = Math.min(bytes.length, at + headerBytes - this.#headerLength)
    let length: number
    if (to - at === headerBytes) length = bytes.readUInt32BE(at + 1)
    else {
      bytes.copy(this.#header, this.#headerLength, at, to)
      this.#headerLength += to - at
      if (this.#headerLength < headerBytes) return to
      length = this.#header.readUInt32BE(1)
    }
    if (length < lengthBytes) throw new Error("a message without a length")
    this.#headerLength = 0
    this.#left = length - lengthBytes
    this.#taken?.begin(this.#left)
    return to
  }

  #rest(bytes: Buffer, at: number): number {
    const to = Math.min(bytes.length, at + this.#left)
    this.#left -= to - at
    this.#taken?.add(bytes, at, to)
    return to
  }
}
