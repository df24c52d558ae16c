/**
 * An invented later version of the tables: its additions are made to databases of version 0.1.0, which keep their
 * content and end up like new ones. A migration that fails changes nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { described, storeTables } from "../../src/Stores/StoreTables.ts"
import { instant, int32, listed, numbered, optional, preset, required, text, int64 } from "../../src/Stores/Table.ts"
import { warehouse } from "../../src/Stores/Tables/Warehouse.ts"
import { latestOf, type Schema } from "../../src/Stores/SchemaVersions.ts"
import { ownTables, shown } from "../../src/Stores/WarehouseTables.ts"
import { contents, engines } from "./VersionEngines.ts"

const { ledger_holds: holds } = described
const { events } = warehouse

const next = latestOf({ store: storeTables, own: ownTables }) + 1

/** Additions are written before the existing columns, and still end up after them. */
const later: Schema = {
  store: listed({
    ...described,
    ledger_holds: {
      ...holds,
      columns: { seen_by: optional(text, "Who's looked at it.", { since: next }), ...holds.columns },
      indexes: { ...holds.indexes, ledger_holds_seen_by: { columns: ["seen_by"], since: next } }
    },
    ledger_remarks: {
      says: "What people remarked. Append-only.",
      since: next,
      key: ["number"],
      isAppendOnly: true,
      shownBy: "number",
      indexes: { ledger_remarks_fact: { columns: ["fact"] } },
      columns: {
        number: numbered("Its place in their order."),
        fact: required(int64, "What it is about.", { isHidden: true, references: ["ledger_facts", "number"] }),
        made_at: required(instant, "When."),
        stars: preset(int32, 3, "How good it is."),
        // Added one version later.
        answer: optional(text, "What was answered.", { since: next + 1 })
      }
    }
  }),
  own: [
    ...ownTables.filter(({ name }) => name !== "events"),
    ...listed({
      events: { ...events, columns: { weather: optional(text, "Rain or shine.", { since: next }), ...events.columns } },
      moods: { says: "How they feel.", key: ["id"], since: next, columns: { id: required(text, "Whose.") } }
    }).map(shown)
  ]
}

/** Fails at the last table that it adds, whose name is taken. */
const failing: Schema = {
  store: [...later.store, ...listed({ inbox: { ...described.inbox, since: next } })],
  own: [...later.own, ...listed({ events: { ...events, since: next } }).map(shown)]
}

const remarks = (names: string) => names.split(" ").map((name) => `ledger_remarks.${name}`)

/** In PostgreSQL analysts see the books through views, which aren't tables. */
const added: Readonly<Record<string, ReadonlyArray<string>>> = {
  SQLite: ["ledger_holds.seen_by", ...remarks("number fact made_at stars answer")],
  DuckDB: ["events.weather", "moods.id", "ledger_holds.seen_by", ...remarks("number made_at stars answer")],
  PostgreSQL: ["events.weather", "moods.id", "ledger_holds.seen_by", ...remarks("number fact made_at stars answer")]
}

const nameOf = (row: Readonly<Record<string, unknown>>): string =>
  `${String(row["table"]).replace(/^\w+\./, "")}.${String(row["column"])}`

describe.each(engines)("a later version in $name", (engine) => {
  const { columns, empty, isSkipped, migrations, migrationsOf, name, released } = engine

  it.live.skipIf(isSkipped)("adds its columns and tables, and equals a new database", () =>
    Effect.gen(function* () {
      const [old, fresh] = yield* Effect.all([released, empty])
      yield* Effect.promise(async () => {
        await old.migrate(migrations)
        const known = await old.ask(columns)
        const before = await contents(old, known)
        const to = migrationsOf(later)
        assert.strictEqual(Object.keys(to).length, Object.keys(migrations).length + 2)
        await old.migrate(to)
        await fresh.migrate(to)
        assert.deepStrictEqual(await contents(old, known), before)
        assert.deepStrictEqual(await old.schema(), await fresh.schema())
        const were = new Set(known.map(nameOf))
        const now = (await old.ask(columns)).map(nameOf)
        assert.sameMembers(
          now.filter((column) => !were.has(column)),
          [...(added[name] ?? [])]
        )
      })
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(isSkipped)("changes nothing if it fails half-way", () =>
    Effect.gen(function* () {
      const old = yield* released
      yield* Effect.promise(async () => {
        await old.migrate(migrations)
        const known = await old.ask(columns)
        const before = [await old.schema(), await contents(old, known)]
        await assertFails(old.migrate(migrationsOf(failing)), /already exists/)
        assert.deepStrictEqual([await old.schema(), await contents(old, known)], before)
        await old.migrate(migrationsOf(later))
      })
    }).pipe(Effect.scoped)
  )
})

const assertFails = (outcome: Promise<unknown>, why: RegExp): Promise<void> =>
  outcome.then(
    () => assert.fail("it didn't fail"),
    (cause: unknown) => assert.match(String(cause), why)
  )

const stores = engines.filter(({ name }) => name !== "DuckDB")

describe.each(stores)("a table of a later version in $name", ({ isSkipped, migrationsOf, name, released }) => {
  it.live.skipIf(isSkipped)("has its defaults, valid references, and append-only rows", () =>
    Effect.gen(function* () {
      const old = yield* released
      const remark = (fact: number) => `insert into ${table} (fact, made_at) values (${fact}, 'now')`
      const table = name === "SQLite" ? "ledger_remarks" : "ledger.ledger_remarks"
      yield* Effect.promise(async () => {
        await old.migrate(migrationsOf(later))
        await old.ask(remark(1))
        assert.deepStrictEqual(
          (await old.ask(`select number, fact, stars, answer from ${table}`)).map((row) => Object.values(row).join()),
          ["1,1,3,"]
        )
        await assertFails(old.ask(remark(99)), /FOREIGN KEY|there is no number 99/)
        await assertFails(old.ask(`delete from ${table}`), /append-only/)
      })
    }).pipe(Effect.scoped)
  )
})

describe("the books' views", () => {
  const inPostgres = engines.filter(({ name }) => name === "PostgreSQL")

  it.live.each(inPostgres)("show in $name what a later version adds, and can't be written through", (engine) =>
    Effect.gen(function* () {
      if (engine.isSkipped) return
      const old = yield* engine.released
      yield* Effect.promise(async () => {
        await old.migrate(engine.migrationsOf(later))
        assert.deepStrictEqual(await old.ask("select seen_by, amount from construction.ledger_holds"), [
          { seen_by: null, amount: null }
        ])
        assert.deepStrictEqual(await old.ask("select number, stars, answer from construction.ledger_remarks"), [])
        const may = await old.ask(`
          select relname, relacl::text !~ '[awdD]/' as is_read_only, obj_description(oid) as says from pg_class
          where oid = 'construction.ledger_remarks'::regclass`)
        assert.deepStrictEqual(may, [
          { relname: "ledger_remarks", is_read_only: "t", says: "What people remarked. Append-only." }
        ])
      })
    }).pipe(Effect.scoped)
  )
})
