/**
 * Appends changed rows to the log of rows within a second of the change. The Store notes which rows are logged only
 * once they are on disk there: a crash in between logs them again.
 *
 * Rows are few, so this thread writes them. It does other things while the disk flushes; a thread of its own would take
 * 17 MB.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Row } from "../Segments/Frame.ts"
import { keyOf } from "../Segments/Key.ts"
import { Writer } from "../Segments/Writer.ts"
import { prepared, type Prepares } from "../Sqlite/Dialect.ts"
import * as Changes from "./Changes.ts"
import { folderOf, logAgain, type Mark, markOf, setMark } from "./Heal.ts"

const batchRows = 1000

const isSame = (one: Mark, other: Mark): boolean => JSON.stringify(one) === JSON.stringify(other)

export interface Place {
  readonly store: string
  readonly database: DatabaseSync
  readonly key: () => Buffer
  /** Runs it while nothing else uses the connection. */
  readonly exclusively: (use: () => void) => Promise<void>
}

export class Follow {
  readonly #place: Place
  readonly #statements: Prepares
  #log: Writer | undefined
  /** The Store still has what the log has lost, but doesn't know yet that it has to be logged again. */
  #hasLost = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(place: Place) {
    this.#place = place
    this.#statements = prepared(place.database)
  }

  /**
   * Logs all rows that have changed, after any earlier call has finished: an interrupted caller leaves its call
   * running.
   */
  once(): Promise<void> {
    return this.#inTurn(async () => {
      while (await this.#batch());
    })
  }

  /** The receiver's uptime changes all the time, so it is logged only when this is called. */
  noteUptime(): Promise<void> {
    return this.#place.exclusively(() => Changes.noteUptime(this.#place.database))
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      this.#log?.close()
      this.#log = undefined
    })
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(run)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** Returns whether there is more. */
  async #batch(): Promise<boolean> {
    const { database, exclusively } = this.#place
    const { appended, isAll, mark, rows, through } = await this.#next()
    if (rows.length === 0 && mark.whole === mark.through) return false
    const last = rows.length === 0 ? mark.through : await this.#put(rows)
    let isDone = false
    await exclusively(() => {
      database.exec("begin immediate")
      // Not if the log has lost some meanwhile: then all are logged again.
      if (isSame(this.#mark, mark)) {
        isDone = isAll
        database.prepare("delete from row_changes where id <= ?").run(through)
        setMark(database, { ...mark, through: last, appended, ...(isAll ? { whole: last } : {}) })
      }
      database.exec("commit")
    })
    return !isDone
  }

  /** In one read, because another process may write. */
  async #next(): Promise<Changes.Changes & { readonly mark: Mark }> {
    const { database, exclusively } = this.#place
    const found: Array<Changes.Changes & { readonly mark: Mark }> = []
    await exclusively(() => {
      database.exec("begin")
      try {
        const mark = this.#mark
        found.push({ ...Changes.next(this.#statements, mark.appended ?? {}, batchRows), mark })
      } finally {
        database.exec("commit")
      }
    })
    return found[0]!
  }

  /** Returns the number of the last frame. */
  async #put(rows: Changes.Changes["rows"]): Promise<number> {
    const log = await this.#opened()
    const next = log.last + 1
    await log.putting(rows.map((row, place): Row => ({ ...row, number: next + place })))
    return log.last
  }

  get #mark(): Mark {
    const mark = markOf(this.#place.database)
    if (mark === undefined) throw new Error("the store has no log of rows")
    return mark
  }

  async #opened(): Promise<Writer> {
    const { database, exclusively, key, store } = this.#place
    if (this.#log === undefined) {
      const folder = folderOf(store)
      const floor = (markOf(database)?.through ?? 0) + 1
      this.#log = new Writer(folder, keyOf(folder, key()), { floor, hasDeliveries: false })
      this.#hasLost ||= this.#log.found.lost.length > 0
    }
    if (this.#hasLost) await exclusively(() => logAgain(database, this.#mark))
    this.#hasLost = false
    return this.#log
  }
}
