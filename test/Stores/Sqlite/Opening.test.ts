/** A SQLite file is written in small pages, and one of another size stays as it is. */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { openFile } from "../../../src/Stores/Sqlite/Opening.ts"

let folder = ""
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "siteledger-opening-"))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const rows = 4000

/** What a commit adds to the log, for one row that has changed. */
const commitBytes = (path: string): number => {
  const database = openFile(path)
  const log = () => statSync(`${path}-wal`).size
  try {
    database.exec("create table if not exists changing (id integer primary key, value text)")
    const insert = database.prepare("insert or replace into changing values (?, ?)")
    database.exec("begin")
    for (let id = 0; id < rows; id++) insert.run(id, "x".repeat(100))
    database.exec("commit")
    const before = log()
    insert.run(1, "y".repeat(100))
    return log() - before
  } finally {
    database.close()
  }
}

const valueOf = (path: string, pragma: string): number => {
  const database = openFile(path)
  try {
    return Number(Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0])
  } finally {
    database.close()
  }
}

describe("a SQLite file", () => {
  it("takes little more than a kilobyte of its log for a row that changes", () => {
    assert.isBelow(commitBytes(join(folder, "store.sqlite")), 1100)
  })

  it("keeps the size of its pages, and is put in order as seldom as another one", () => {
    const [made, older] = [join(folder, "made.sqlite"), join(folder, "older.sqlite")]
    const before = new DatabaseSync(older)
    before.exec("create table kept (id integer primary key)")
    before.close()
    assert.isAbove(commitBytes(older), 4096)
    assert.strictEqual(valueOf(older, "page_size"), 4096)
    const checkpointBytes = (path: string) => valueOf(path, "page_size") * valueOf(path, "wal_autocheckpoint")
    assert.strictEqual(checkpointBytes(older), checkpointBytes(made))
  })
})
