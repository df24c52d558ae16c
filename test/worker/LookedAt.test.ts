/**
 * The analysts' copy, seen through the worker: its answers equal the command line's, and a person's SQL changes
 * nothing.
 */
import { readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parquetReadObjects } from "hyparquet"
import { compressors } from "hyparquet-compressors"
import { until } from "../RunningWorker.ts"
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

  it("an answer is a Parquet file: whole, with every type, for who may read, and none stays behind", async () => {
    await using world = await World.open({ projects: 1200 })
    const temporary = dirname(world.file("beside", ""))
    const worker = world.start({ TMPDIR: temporary })
    await worker.live()
    await worker.verb("publish")
    const { admin = "", token = "" } = worker.note() ?? {}
    const ask = (sql: string, authorization = `Bearer ${token}`) =>
      fetch(`${admin}/query.parquet`, { method: "POST", headers: { authorization }, body: JSON.stringify({ sql }) })
    const sql = "select id, 12.50::decimal(9, 2) as d, now() as t from construction.projects"
    const answers = await Promise.all([ask(sql), ask(sql)])
    for (const answer of answers) {
      assert.strictEqual(answer.headers.get("content-type"), "application/vnd.apache.parquet")
      const file = await answer.arrayBuffer()
      const rows = await parquetReadObjects({ file, compressors })
      assert.strictEqual(rows.length, 1200)
      assert.deepInclude(rows[0], { d: 12.5 })
      assert.instanceOf(rows[0]?.["t"], Date)
    }
    for (const refused of ["drop table construction.projects", "selec", "select 1; select 2"]) {
      const answer = await ask(refused)
      assert.strictEqual(answer.status, 500)
      assert.hasAllKeys(await answer.json(), ["error"])
    }
    assert.strictEqual((await ask(sql, "Bearer slp_nobody")).status, 401)
    // Three at a time, made or sent: each takes room on the disk. A place is free again once an answer is sent.
    const many = await Promise.all(Array.from({ length: 6 }, () => ask(sql)))
    assert.deepStrictEqual(many.map(({ status }) => status).toSorted(), [200, 200, 200, 503, 503, 503])
    const sizes = await Promise.all(
      many
        .filter(({ ok }) => ok)
        .map(async (each) => [each.headers.get("content-length"), (await each.arrayBuffer()).byteLength])
    )
    for (const [said, found] of sizes) assert.strictEqual(Number(said), found)
    assert.strictEqual((await ask(sql)).status, 200)
    // A reader who goes away in the middle gives its place back, and takes nothing else with it.
    const large = "select hash(n) as one, hash(n + 1) as two from range(4000000) as numbers(n)"
    const begun = () => until("a place is free", async () => ((each) => (each.ok ? each : undefined))(await ask(large)))
    for (const answer of [await begun(), await begun(), await begun()]) {
      assert.isAbove(Number(answer.headers.get("content-length")), 30_000_000)
      const reader = answer.body?.getReader()
      await reader?.read()
      await reader?.cancel()
    }
    await until("its places are free", async () => (await ask(sql)).ok || undefined)
    assert.isFalse(worker.hasEnded, worker.stderr)
    assert.deepStrictEqual(
      readdirSync(temporary).filter((name) => name.startsWith("siteledger-query-")),
      []
    )
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
