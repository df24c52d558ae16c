/**
 * On a server: quarantined deliveries that don't say which record they are about are erased with any record of their
 * table, as from a file (`Erase`).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { fields } from "../../connectors/construction/ConstructionColumns.ts"
import * as Erasure from "../../src/Domain/Erasure.ts"
import * as Folder from "../../src/Lake/Folder.ts"
import { seeksOf } from "../../src/Operate/Erase/Seek.ts"
import * as Server from "../../src/Operate/Erase/Server.ts"
import { temporaryFolder } from "../Folders.ts"
import * as Postgres from "../Postgres.ts"

const named = { table: "notes", id: "a/1" }
const without = {
  redact: Erasure.redactor([Erasure.erased(named, "salt")])!,
  reads: {
    bodies: Erasure.plain,
    answers: () => false,
    records: (table: string) => ({ ...Erasure.plain, isUnnamed: table !== "things" })
  }
}

describe.skipIf(Postgres.skipped !== undefined)("records in quarantine that don't say which they are", () => {
  it("go with one of their table, and are counted before", async () => {
    await using database = await Postgres.database()
    const folder = temporaryFolder()
    const beside = { published: `${folder}/a.duckdb`, store: `${folder}/s.sqlite`, warehouse: `${folder}/w.duckdb` }
    const place: Server.Place = {
      ...beside,
      url: Redacted.make(database.url),
      ownersUrl: Option.none(),
      fields: fields({ aliases: {}, contentsAt: [] }, [])
    }
    const found = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const engine = yield* Server.open(place)
          const records = ["notes", "others", "things"].map(
            (table) => `('${table}', 's', '{"by":"x"}', 'not-storable', 'a', 'b')`
          )
          yield* Effect.promise(() =>
            database.query(`insert into siteledger.record_quarantine values ${records.join(", ")}`)
          )
          const looked = yield* engine.look(seeksOf(named), without.reads)
          yield* engine.rid(without, 1)
          return looked.found
        }).pipe(Effect.provide(Folder.layerAt(folder)))
      )
    )
    assert.deepStrictEqual(found, [{ changed: { record_quarantine: 1 }, kept: {}, deliveries: 0 }])
    const left = await database.query("select resource from siteledger.record_quarantine order by 1")
    assert.deepStrictEqual(left, [{ resource: "others" }, { resource: "things" }])
  })
})
