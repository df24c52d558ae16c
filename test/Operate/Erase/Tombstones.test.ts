/** What a segment loses is noted in one commit: one for each body would take as many flushes of the disk. */
import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { noting } from "../../../src/Operate/Erase/Tombstones.ts"

it("the bodies that one segment loses are noted in one transaction, each once", () => {
  using database = new DatabaseSync(":memory:")
  const within: Array<boolean> = []
  database.function("noted", () => within.push(database.isTransaction))
  database.exec(`
    create table erased_bodies (body_sha256 text primary key, erasure integer, sequence integer);
    create trigger noted after insert on erased_bodies begin select noted(); end`)
  const note = noting(database, 7)
  const lost = ["a", "b", "a"].map((sha256, place) => ({ sha256, sequence: place === 1 ? null : place + 1 }))
  note.all(lost)
  assert.deepStrictEqual(within, [true, true])
  assert.isFalse(database.isTransaction)
  const rows = database.prepare("select * from erased_bodies order by 1").all()
  assert.deepStrictEqual(
    rows.map((row) => ({ ...row })),
    [
      { body_sha256: "a", erasure: 7, sequence: 1 },
      { body_sha256: "b", erasure: 7, sequence: null }
    ]
  )
  note.all([])
  assert.isFalse(database.isTransaction)
})
