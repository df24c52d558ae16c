/**
 * The rows of a table that events changed last, in memory. Reading ten rows by their numbers takes DuckDB longer than
 * everything else that it does for a small batch, and the record that an event is about has usually had another event
 * recently.
 *
 * Holds only committed rows, as they are in the file. The most recently changed rows are kept, up to a number of
 * characters, so memory is bounded. A process that dies loses nothing: the rows are read again. Pure.
 */
import type { Row } from "../../Domain/Merge.ts"

/** A row that is in the file. */
export interface Stored {
  readonly row: Row
  readonly number: number
}

/** Per table: about a thousand rows of usual size. */
const mostCharacters = 1_000_000

export class RecentRows {
  readonly #most: number
  readonly #rows = new Map<string, Stored>()
  #characters = 0

  constructor(most = mostCharacters) {
    this.#most = most
  }

  get(id: string): Stored | undefined {
    return this.#rows.get(id)
  }

  keep(id: string, stored: Stored): void {
    this.drop(id)
    this.#rows.set(id, stored)
    this.#characters += sizeOf(stored.row)
    for (const oldest of this.#rows.keys()) {
      if (this.#characters <= this.#most) break
      this.drop(oldest)
    }
  }

  /** Returns the rows whose number is `least` or greater, and forgets them. */
  takeFrom(least: number): ReadonlyMap<string, Row> {
    const taken = new Map<string, Row>()
    for (const [id, { number, row }] of this.#rows) if (number >= least) taken.set(id, row)
    for (const id of taken.keys()) this.drop(id)
    return taken
  }

  drop(id: string): void {
    const known = this.#rows.get(id)
    if (known === undefined) return
    this.#rows.delete(id)
    this.#characters -= sizeOf(known.row)
  }
}

/** Includes roughly what a column without text takes. */
const sizeOf = (row: Row): number => {
  let size = 0
  for (const name in row) size += 8 + (row[name]?.length ?? 0)
  return size
}
