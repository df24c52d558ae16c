/**
 * The warehouse as it is now, through the worker and the command line: its tables, their records, and the origin of
 * each field.
 */
import { randomUUID } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { List, Review } from "../../src/Discovery/Review.ts"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import { describedViews } from "../../src/Stores/DescribedViews.ts"
import { tables as usual } from "../../src/Stores/WarehouseTables.ts"
import type { ProjectSource } from "../InterfaceServer.ts"
import { patience } from "../Long.ts"
import { type RunningWorker, until } from "../RunningWorker.ts"
import { discovered } from "./Resources/Discovered.ts"
import { startedOn } from "./SandboxWorld.ts"
import { World } from "./World.ts"

type Tables = Answer<"tables">["tables"]
type Records = Answer<"records">
type Record = Answer<"record">

const ask = (worker: RunningWorker, name: string, payload: Readonly<{ [name: string]: unknown }> = {}) =>
  worker.verb(name, payload)

const ids = ({ columns, key, rows }: Records) => {
  const place = columns.findIndex(({ name }) => name === key)
  return rows.map((row) => row[place])
}

const idOf = (source: ProjectSource): string =>
  String(((typeof source === "string" ? JSON.parse(source) : source) as { readonly id: number }).id)

const field = ({ fields }: Record, name: string) => fields.find((each) => each.name === name)

const certified = (amount: string, day: string) => ({
  type: "ipc.certified",
  body: `{"event_type":"ipc.certified","event_timestamp":"2026-10-${day}T00:00:00Z","ipc_id":"7","certified_amount":${amount},"certificate_url":"https://c/1","colour":1.50}`
})

const paid = {
  type: "ipc.paid",
  body: `{"event_type":"ipc.paid","event_timestamp":"2026-10-03T00:00:00Z","ipc_id":"7","payment_reference":"PAY-1"}`
}

const tablesAreShown = async (world: World, worker: RunningWorker) => {
  const { tables } = (await ask(worker, "tables")) as { readonly tables: Tables }
  assert.sameDeepMembers(
    tables.map(({ columns, name, says }) => ({ name, says, columns: [...columns] })),
    [...usual, ...describedViews].map(({ columns, name, says }) => ({
      name,
      says,
      columns: columns.map((each) => ({ name: each.name, type: each.type, says: each.says }))
    }))
  )
  const kinds = new Map(tables.map(({ key, kind, name }) => [name, `${kind} ${key}`]))
  assert.deepStrictEqual(
    ["ipcs", "events", "project_currencies", "ledger_entries", "ledger_lines"].map((name) => kinds.get(name)),
    ["records id", "events body_sha256", "currencies id", "books entry_id", "view null"]
  )
  assert.deepStrictEqual(JSON.parse((await world.run("tables", "--json")).stdout), { tables })
  assert.match((await world.run("tables", "ipcs")).stdout, /certified_amount +DECIMAL\(28,4\) +The amount that was/)
  assert.match((await world.run("tables", "none")).stderr, /no table and no view none/)
}

const recordIsShown = async (world: World, worker: RunningWorker) => {
  const [first, second, last] = [randomUUID(), randomUUID(), randomUUID()]
  await world.server.deliver(certified("12.50", "01"), { id: first })
  await world.server.deliver(certified("20.00", "02"), { id: second })
  await world.server.deliver(paid, { id: last })
  await worker.status("all is applied", ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === 1)
  const record = (await ask(worker, "record", { table: "ipcs", id: "7" })) as Record
  const told = record.deliveries ?? assert.fail("no history")
  assert.deepStrictEqual(
    told.map(({ event_id, outcome }) => [event_id, outcome]),
    [last, second, first].map((id) => [id, "applied"])
  )
  assert.deepInclude(field(record, "certified_amount"), { type: "DECIMAL(28,4)", value: "20.0000", misfit: null })
  assert.deepInclude(field(record, "certified_amount")?.said, {
    by: "event",
    at: "2026-10-02T00:00:00.000000Z",
    event_id: second,
    sequence: told[1]?.sequence ?? null
  })
  assert.strictEqual(field(record, "status")?.said?.event_id, last)
  assert.strictEqual(field(record, "_deleted_at")?.said?.event_id, last)
  assert.deepInclude(field(record, "colour"), { type: null, value: "1.50" })
  assert.strictEqual(field(record, "colour")?.said?.event_id, second)
  assert.isNull(field(record, "submitter")?.said)
  const older = (await ask(worker, "record", { table: "ipcs", id: "7", before: told[1]?.sequence })) as Record
  assert.deepStrictEqual([older.deliveries?.map(({ event_id: id }) => id), older.hasOlder], [[first], false])
  const lines = (await world.run("record", "ipcs", "7")).stdout
  assert.match(
    lines,
    new RegExp(`^ {2}certified_amount +20\\.0000 +delivery ${told[1]?.sequence}, ipc\\.certified`, "m")
  )
  assert.deepStrictEqual(JSON.parse((await world.run("record", "ipcs", "7", "--json")).stdout), record)
  assert.match((await world.run("record", "ipcs", "none")).stderr, /ipcs has no record none/)
  return record
}

const pagesAreShown = async (world: World, worker: RunningWorker, all: ReadonlyArray<string>) => {
  const page = (await ask(worker, "records", { table: "projects", last: 12 })) as Records
  assert.deepStrictEqual([ids(page), page.next], [all.slice(0, 12), all[11] ?? ""])
  const next = await world.run("records", "projects", "--last", "200", "--after", page.next ?? "", "--json")
  assert.deepStrictEqual(ids(JSON.parse(next.stdout) as Records), all.slice(12))
  assert.hasAllKeys(await ask(worker, "records", { table: "projects", last: 201 }), ["error"])
  const six = Array.from({ length: 6 }, () => ({ column: "id", is: "null" }))
  assert.hasAllKeys(await ask(worker, "records", { table: "projects", where: six }), ["error"])
  const shown = await world.run("records", "ipcs", "--where", "status=paid", "--where", "certified_amount>19.99")
  assert.match(shown.stdout, /^id +status .*\n.*\n7 +paid /)
  assert.strictEqual((await world.run("records", "ipcs", "--where", "status")).code, 2)
}

/** The service's list has no `id` any more. */
const deletedOneIsShown = async ({ server }: World, worker: RunningWorker, id: string) => {
  const before = (await ask(worker, "record", { table: "projects", id })) as Record
  assert.deepInclude(field(before, "name")?.said, { by: "read", event_id: null, sequence: null })
  assert.deepStrictEqual(before.deliveries, [])
  server.projects.splice(
    server.projects.findIndex((project) => idOf(project) === id),
    1
  )
  const gone = await until("it is deleted", async () => {
    const where = [{ column: "_deleted_at", is: "not-null" }]
    const found = (await ask(worker, "records", { table: "projects", where })) as Records
    return found.rows.length > 0 ? found : undefined
  })
  assert.deepStrictEqual(ids(gone), [id])
  const deleted = (await ask(worker, "record", { table: "projects", id })) as Record
  assert.strictEqual(field(deleted, "_deleted_at")?.said?.by, "absence")
  const newest = (await ask(worker, "records", { table: "projects", order: "changed", last: 1 })) as Records
  assert.deepStrictEqual(ids(newest), [id])
}

describe("the warehouse, as it is now", () => {
  it("is shown table by table, record by record, with what said each field", async () => {
    await using world = await World.open({ projects: 30 })
    const worker = world.start({ SITELEDGER_WALK_EVERY: "300 millis" })
    await worker.live()
    await tablesAreShown(world, worker)
    const record = await recordIsShown(world, worker)
    const all = world.server.projects.map(idOf).toSorted((a, b) => Number(a) - Number(b))
    await pagesAreShown(world, worker, all)
    await deletedOneIsShown(world, worker, all[0] ?? "")
    await worker.stop()
    // Without a worker it reads the stores itself.
    assert.deepStrictEqual(JSON.parse((await world.run("record", "ipcs", "7", "--json")).stdout), record)
  })
})

/** One with a list inside its records, of which the file names nothing else. */
const switchedOn = (file: string): List => {
  const review = JSON.parse(readFileSync(file, "utf8")) as Review
  const chosen = review.lists.find(
    ({ confidence, key, kind, needs = [], nested = [], sameAs }) =>
      kind === "list" &&
      confidence === "high" &&
      needs.length === 0 &&
      nested.length > 0 &&
      sameAs === undefined &&
      key.join() === "id"
  )
  if (chosen === undefined) return assert.fail("no list has lists in its records")
  const within = new Set(chosen.nested?.map(({ column }) => column))
  const on: List = {
    ...chosen,
    on: true,
    newFields: "evolve",
    refresh: { every: "1 second" },
    columns: chosen.columns.filter(({ name }) => name === "id" || within.has(name)),
    nested: (chosen.nested ?? []).map((nested) => ({ ...nested, on: true }))
  }
  const lists = review.lists.map((list) => (list.table === on.table ? on : { ...list, on: false }))
  writeFileSync(file, JSON.stringify({ ...review, lists }))
  return on
}

describe("a list of the review file", () => {
  it.live(
    "is among the tables, with the columns that it got by itself and the lists inside its records",
    () =>
      Effect.gen(function* () {
        const { environmentFor, place, review } = yield* discovered(6)
        const list = switchedOn(review)
        const worker = yield* startedOn(place, environmentFor(list.scope))
        yield* Effect.promise(async () => {
          const learned = await until("it has learned columns", async () => {
            const { tables = [] } = ((await ask(worker, "tables", { name: list.table })) ?? {}) as { tables?: Tables }
            return tables[0]?.columns.find(({ says }) => says.startsWith("The value of the field /"))
          })
          const { tables } = (await ask(worker, "tables")) as { readonly tables: Tables }
          for (const nested of list.nested ?? []) {
            const found = tables.find(({ name }) => name === nested.table)
            assert.deepInclude(found, { kind: "items", of: list.table, key: "_parent" })
          }
          const page = await until("it has records", async () => {
            const where = [{ column: learned.name, is: "not-null" }]
            const found = (await ask(worker, "records", { table: list.table, where, last: 2 })) as Records
            return found.rows.length > 0 ? found : undefined
          })
          assert.include(
            page.columns.map(({ name }) => name),
            learned.name
          )
          const record = (await ask(worker, "record", { table: list.table, id: ids(page)[0] })) as Record
          assert.strictEqual(field(record, learned.name)?.said?.by, "read")
          await worker.stop()
        })
      }),
    patience
  )
})
