/**
 * The last entry that was sent, in a file beside the Store. If the Store is then put back to an earlier state in any
 * way, its books end before that entry, and the outbox waits instead of sending the same money in other steps.
 *
 * The file is written before an entry leaves, so it is never behind what the accounting system has. The exception is a
 * power cut: the file isn't fsynced, because that would cost more than sending does. If the whole data directory is put
 * back, the file goes with it; docs/accounting-sink.md says what to do then.
 */
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

const Sent = Schema.Struct({ epoch: Schema.Int, sequence: Schema.Int })
export type Sent = typeof Sent.Type

const readSent = Schema.decodeUnknownOption(Schema.fromJsonString(Sent))

export const isAfter = (one: Sent, other: Sent): boolean =>
  one.epoch === other.epoch ? one.sequence > other.sequence : one.epoch > other.epoch

const never: Sent = { epoch: 0, sequence: 0 }

const pathIn = (dataDir: string): string => join(dataDir, "ledger-sent.json")

/** If there is no file, or an unreadable one, nothing counts as sent. */
export const lastSent = (dataDir: string): Sent => {
  try {
    const read = readSent(readFileSync(pathIn(dataDir), "utf8"))
    return read._tag === "Some" ? read.value : never
  } catch {
    return never
  }
}

/** Always the same length, so that a shorter text overwrites the whole previous one. */
const bytes = 64

export class Witness {
  readonly #file: number
  #last: Sent

  constructor(dataDir: string) {
    this.#last = lastSent(dataDir)
    this.#file = openSync(pathIn(dataDir), constants.O_RDWR | constants.O_CREAT, 0o600)
  }

  get last(): Sent {
    return this.#last
  }

  note(sent: Sent): void {
    if (!isAfter(sent, this.#last)) return
    this.#last = sent
    writeSync(this.#file, `${JSON.stringify(sent)}\n`.padStart(bytes), 0)
  }

  close(): void {
    closeSync(this.#file)
  }
}
