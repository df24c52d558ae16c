/** What analysts have, looked at through the worker: its answers are the command line's, and a person's SQL changes nothing. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { World } from "./World.ts"

interface Answer {
  readonly columns: ReadonlyArray<{ readonly name: string; readonly isNumber: boolean }>
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  readonly isCut: boolean
}

describe("through the worker", () => {
  it("SQL is answered from the published copy, cut at a thousand rows, and can change nothing", async () => {
    await using world = await World.open({ projects: 1200 })
    const worker = world.start()
    await worker.live()
    const ask = (sql: string) => worker.verb("query", { sql })
    await worker.verb("publish")
    assert.deepStrictEqual(
      await ask("select count(*) as n, 12.50::decimal(9, 2) as d, null as e from construction.projects"),
      {
        columns: [
          { name: "n", isNumber: true },
          { name: "d", isNumber: true },
          { name: "e", isNumber: true }
        ],
        rows: [["1200", "12.50", null]],
        isCut: false,
        isPlan: false
      }
    )
    const all = (await ask("from construction.projects")) as Answer
    assert.deepStrictEqual([all.rows.length, all.isCut], [1000, true])
    const both = await Promise.all([ask("select 1 as a"), ask("select 2 as a")])
    assert.deepStrictEqual(
      both.map((each) => (each as Answer).rows),
      [[[1]], [[2]]]
    )
    for (const sql of [
      "drop table construction.projects",
      "select 1; select 2",
      "copy (select 1) to '/tmp/x.csv'",
      "selec"
    ]) {
      assert.hasAllKeys(await ask(sql), ["error"], sql)
    }
    assert.deepStrictEqual(((await ask("select count(*) from construction.projects")) as Answer).rows, [["1200"]])
  })

  it("exports are listed and verified as the command line does it, and a damaged file is named", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const { run } = (await worker.verb("export")) as { readonly run: string }
    const listed = await worker.verb("lake-list")
    assert.deepStrictEqual(listed, JSON.parse((await world.run("lake", "list", "--json")).stdout))
    assert.include(JSON.stringify(listed), run)
    const verified = await worker.verb("lake-verify")
    assert.deepInclude(verified, { ok: true, run })
    assert.deepStrictEqual(verified, JSON.parse((await world.run("lake", "verify", "--json")).stdout))
    const manifest = join(world.dataDir, "lake", "_manifests", `${run}.json`)
    writeFileSync(manifest, "{")
    assert.hasAllKeys(await worker.verb("lake-verify", { run }), ["error"])
  })
})
