/**
 * How a file for another program is made: piece by piece, so that memory doesn't grow with the journal. Pure.
 *
 * Entries come in the order of posting date and number. A format that can't represent an entry refuses it, with a
 * sentence for a person; it never changes an amount.
 */
import type { Result } from "effect"
import type { JournalEntry } from "./JournalEntry.ts"

export interface FileWriter {
  readonly begin: () => Uint8Array
  readonly add: (entries: ReadonlyArray<JournalEntry>) => Result.Result<Uint8Array, string>
  readonly end: () => Uint8Array
  /** What a person should know about the file. */
  readonly notes: () => ReadonlyArray<string>
}

/** Makes a writer for one file. */
export type Format = () => FileWriter

const encoder = new TextEncoder()

export const utf8 = (text: string): Uint8Array => encoder.encode(text)

export const nothing = new Uint8Array()
