/**
 * What an erasure does to rows of the Store: the books keep theirs, and answers of look-ups keep the hash of the
 * original.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Erasure from "../../src/Domain/Erasure.ts"
import * as Rows from "../../src/Operate/Erase/Rows.ts"
import { seeksOf } from "../../src/Operate/Erase/Seek.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { makeStore } from "../worker/MoveWorld.ts"
import { answer, asked, person, quoted, reads, redact, sha256 } from "./ErasedPerson.ts"

const rows = `
  insert into ledger_facts values (1, 'i', 'looked-up', 'k', ${quoted(JSON.stringify({ sha256 }))}, null),
    (2, 'i', 'decision', 'k', ${quoted(JSON.stringify({ by: person }))}, null);
  insert into ledger_evidence values (1, ${quoted(answer)});
  insert into admin_log values (1, 'a', 'os:ada', 'ledger-accept', ${quoted(person)}), (2, 'b', 'os:ada', 'export', null);
  insert into alerts values (1, 'critical', ${quoted(JSON.stringify({ sentence: `Ask ${person}.`, who: person }))}, null);
  insert into reminders values (1, ${quoted(`not JSON, of ${person}`)}, null);
  insert into sightings values ('things', ${quoted(person)}, 1, 0, null);`

const withStore = async (use: (database: DatabaseSync) => void): Promise<void> => {
  const folder = temporaryFolder()
  try {
    const path = join(folder, "store.sqlite")
    await makeStore(path, rows)
    const database = new DatabaseSync(path)
    use(database)
    database.close()
  } finally {
    removeFolder(folder)
  }
}

const all = (database: DatabaseSync, sql: string): ReadonlyArray<unknown> =>
  database
    .prepare(sql)
    .all()
    .map((row) => Object.values(row)[0])

describe("rows that have what is erased", () => {
  it("are counted, those of the books and ids for themselves, and none is changed", () =>
    withStore((database) => {
      const { total_changes: before } = database.prepare("select total_changes() as total_changes").get() ?? {}
      assert.deepStrictEqual(Rows.look(database, seeksOf(asked)[0]!, reads), {
        changed: { admin_log: 1, alerts: 1, reminders: 1, ledger_evidence: 1 },
        kept: { ledger_facts: 1, sightings: 1 }
      })
      assert.deepInclude(database.prepare("select total_changes() as total_changes").get(), { total_changes: before })
    }))

  it("lose it, also where they can't be changed otherwise; triggers are there as before", () =>
    withStore((database) => {
      const schema = () => all(database, "select sql from sqlite_schema order by name")
      const before = schema()
      const noted: Array<string> = []
      Rows.erase(database, { redact, reads }, (found) => noted.push(found))
      assert.deepStrictEqual(all(database, "select body from ledger_evidence"), [
        '{"data":{"id":"Ada Lovelace","amount":1.5,"by":"[erased]"}}'
      ])
      assert.deepStrictEqual(noted, [sha256])
      assert.deepStrictEqual(all(database, "select noted_by from admin_log order by number"), ["[erased]", null])
      assert.deepStrictEqual(all(database, "select body from alerts"), [
        '{"sentence":"Ask Ada Lovelace.","who":"[erased]"}'
      ])
      assert.deepStrictEqual(all(database, "select body from reminders"), ["not JSON, of [erased]"])
      assert.deepStrictEqual(all(database, "select content from ledger_facts where number = 2"), [`{"by":"${person}"}`])
      assert.deepStrictEqual(schema(), before)
      assert.throws(() => database.exec("update ledger_evidence set body = ''"), /append-only/)
    }))

  it("go as a whole where records of their table in quarantine don't say which they are", () =>
    withStore((database) => {
      const records = ["notes", "others", "things"].map(
        (table) => `('${table}', '${table}', '{"by":"x"}', 'not-storable', 'a', 'b')`
      )
      database.exec(`insert into record_quarantine values ${records.join(", ")}`)
      const named = { table: "notes", id: "a/1" }
      const unnamed = { ...reads, records: (table: string) => ({ ...Erasure.plain, isUnnamed: table !== "things" }) }
      assert.deepStrictEqual(Rows.look(database, seeksOf(named)[0]!, unnamed), {
        changed: { record_quarantine: 1 },
        kept: {}
      })
      const without = (...all: ReadonlyArray<Erasure.Named>) => ({
        redact: Erasure.redactor(all.map((each) => Erasure.erased(each, "salt")))!,
        reads: unnamed
      })
      const left = () => all(database, "select resource from record_quarantine order by 1")
      Rows.erase(database, without(named), () => undefined)
      assert.deepStrictEqual(left(), ["others", "things"])
      Rows.erase(database, without({ table: "things", id: "1" }), () => undefined)
      assert.deepStrictEqual(left(), ["others", "things"])
    }))

  it("that have lost something before keep the hash of what had come first", () =>
    withStore((database) => {
      const noted: Array<string> = []
      const erase = (value: string, field: string | null) => {
        const other = Erasure.redactor([Erasure.erased({ value, field, isWithin: false }, "salt")])!
        Rows.erase(database, { redact: other, reads }, (found) => noted.push(found))
      }
      erase(person, null)
      erase("1.5", "amount")
      assert.deepStrictEqual(noted, [sha256, sha256])
    }))
})
