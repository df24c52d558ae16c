/**
 * Rebuilds a Store's file from what an off-machine backup has of its two logs: first the rows, then the deliveries,
 * both in the order of their numbers. The file is in the form that `siteledger backup` produces, with all deliveries in
 * its table.
 *
 * An unfinished file must not be used.
 */
import type { DatabaseSync } from "node:sqlite"
import { Kysely } from "kysely"
import type { LogName } from "../Following.ts"
import * as Changes from "../RowLog/Changes.ts"
import * as Heal from "../RowLog/Heal.ts"
import { type Frame, numberAfter } from "../Segments/Frame.ts"
import { setMeta } from "../Segments/Meta.ts"
import * as Files from "../Segments/Open.ts"
import * as Rows from "../Segments/Rows.ts"
import { framesIn } from "../Segments/Segment.ts"
import { dialect } from "./Dialect.ts"
import { openFile } from "./Opening.ts"
import { migrate } from "./Store.ts"

export interface Remade {
  readonly deliveries: number
  readonly entries: number
}

export class Remake {
  readonly #database: DatabaseSync
  readonly #through: Record<LogName, number> = { rows: 0, inbox: 0 }

  private constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Starts a new file. */
  static async begin(path: string): Promise<Remake> {
    const database = openFile(path)
    await migrate(new Kysely({ dialect: dialect(database) }))
    // Foreign keys are checked at the end, because a row may come before one to which it refers.
    database.exec("pragma synchronous = off; pragma foreign_keys = off")
    return new Remake(database)
  }

  /** Adds the next frames of a log; frames that it already has are skipped. */
  add(log: LogName, bytes: Buffer): void {
    const frames = [...framesIn(bytes)].filter(({ number }) => number > this.#through[log])
    if (log === "inbox") Rows.writeFrames(this.#database, frames)
    else this.#rows(frames)
    const last = frames.at(-1)
    if (last !== undefined) this.#through[log] = numberAfter(last) - 1
  }

  #rows(frames: ReadonlyArray<Frame>): void {
    this.#database.exec("begin immediate")
    for (const frame of frames) if (frame.kind === "row") Changes.write(this.#database, frame)
    this.#database.exec("commit")
  }

  /** `meta`: one fact to set. Throws if the file isn't complete. */
  finish([key, value]: readonly [key: string, value: string]): Remade {
    const database = this.#database
    setMeta(database, key, value)
    const [dangling] = database.prepare("pragma foreign_key_check").all()
    if (dangling !== undefined) throw new Error(`a row of ${String(dangling["table"])} lacks the row that it refers to`)
    database.exec("delete from row_changes")
    // All deliveries are in the table.
    Files.carried(database)
    Heal.forgetMark(database)
    const count = (table: string) => Number(database.prepare(`select count(*) as count from ${table}`).get()?.["count"])
    const remade = { deliveries: count("inbox"), entries: count("ledger_entries") }
    database.exec("pragma synchronous = full; pragma journal_mode = delete")
    database.close()
    return remade
  }

  /** Closes an unfinished file. */
  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  /** The number up to which it has a log's frames. */
  through(log: LogName): number {
    return this.#through[log]
  }
}
