/** Reads the inbox's files beside a Store while a worker writes them, as another program would. */
import { hash } from "node:crypto"
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { contentAt, decode, headBytes } from "../src/Stores/Segments/Frame.ts"
import { folderOf } from "../src/Stores/Segments/Open.ts"
import { listed, nameOf } from "../src/Stores/Segments/Segment.ts"

export class Stored {
  readonly #folder: string
  readonly #bodies = new Set<string>()
  readonly #read = new Map<number, number>()

  constructor(store: string) {
    this.#folder = folderOf(store)
  }

  /** The number of different bodies. */
  get count(): number {
    this.#more()
    return this.#bodies.size
  }

  has(body: string | Uint8Array): boolean {
    const sha256 = hash("sha256", body)
    if (!this.#bodies.has(sha256)) this.#more()
    return this.#bodies.has(sha256)
  }

  #more(): void {
    for (const first of listed(this.#folder)) {
      const from = this.#read.get(first) ?? 0
      const bytes = this.#bytes(first, from)
      let at = 0
      for (let content = contentAt(bytes, at); content !== undefined; content = contentAt(bytes, at)) {
        const frame = decode(content)
        if (frame.kind === "first") this.#bodies.add(hash("sha256", frame.body))
        at += headBytes + content.byteLength
      }
      this.#read.set(first, from + at)
    }
  }

  #bytes(first: number, from: number): Buffer {
    const file = openSync(join(this.#folder, nameOf(first)), "r")
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - from))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.byteLength, from))
    } finally {
      closeSync(file)
    }
  }
}
