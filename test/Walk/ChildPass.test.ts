/**
 * Passes over the lists below the rows of a table, into real SQLite and DuckDB files and on PostgreSQL: several at once, killed
 * at any page, with parents that come, change, go, or whose list fails.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Change from "../../src/Domain/Change.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Version from "../../src/Domain/Version.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as ChildPass from "../../src/Walk/ChildPass.ts"
import { type ChildList, SourceError } from "../../src/Walk/Source.ts"
import { seeded } from "../Seeded.ts"
import { engines } from "../Stores/WarehouseEngines.ts"
import { all, below, children } from "./ChildModel.ts"
import { passing } from "./Passing.ts"

const incident = (id: string, at: string, values: Change.Change["values"] = {}): Change.Change => ({
  entity: "hse_incidents",
  id,
  version: Version.make(Instant.toMicros(at), 0, ""),
  source: "page",
  seenAt: at,
  values,
  misfits: {},
  extra: {}
})

const write = (changes: ReadonlyArray<Change.Change>) =>
  Effect.flatMap(Warehouse, (warehouse) => warehouse.write({ changes, events: [] }))

const before = "2026-11-01T00:00:00.000000Z"
const parentsAre = (ids: Iterable<string>) => write([...ids].map((id) => incident(id, before)))

const pass = (list: ChildList) =>
  Effect.scoped(
    Effect.gen(function* () {
      const parts = yield* passing
      return yield* ChildPass.run({ ...parts, list }, yield* Checkpoints.load(parts.store, "projects"))
    })
  )

const present = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.query((db) =>
    db.selectFrom("construction.projects").select("id").where("_deleted_at", "is", null).orderBy("id").execute()
  )
).pipe(Effect.map((rows) => rows.map(({ id }) => Number(id))))

const proofs = Effect.flatMap(Store, (store) =>
  store.run((db) => db.selectFrom("walk_parents").select(["parent", "proof"]).orderBy("parent").execute())
).pipe(Effect.map((rows) => Object.fromEntries(rows.map(({ parent, proof }) => [parent, proof]))))

const absent = new SourceError({ reason: "Refused", isAbsent: true, message: "There is none (404)." })
const forbidden = new SourceError({ reason: "Refused", message: "It is forbidden (403)." })
const misread = new SourceError({ reason: "OtherPage", message: "It answered with HTML." })
const notAsked = new SourceError({ reason: "PageSizeRefused", message: "no such cursor" })

describe.each(engines)("a pass over lists below the rows of a table, on $name,", ({ isSkipped, layer }) => {
  const test = (name: string, effect: Effect.Effect<void, unknown, Store | Warehouse>) =>
    it.live.skipIf(isSkipped)(name, () => effect.pipe(Effect.provide(layer, { local: true }), Effect.scoped))

  test(
    "reads several at once, agrees with all totals, and the next one proves each",
    Effect.gen(function* () {
      const list = children(below(100))
      yield* parentsAre(list.ids.keys())
      const first = yield* pass(list)
      assert.deepInclude(first.state, { proof: "counts-agree", rows: 300, total: 300, parents: 100, parents_sure: 0 })
      assert.isAbove(list.mostAtOnce, 8)
      assert.isAtMost(list.mostAtOnce, 32)
      assert.strictEqual(list.asked.length, 200, "each page once")
      assert.deepStrictEqual(yield* present, all(list))
      const second = yield* pass(list)
      assert.deepInclude(second.state, { proof: "proven", parents: 100, parents_sure: 100 })
    })
  )

  test(
    "without totals proves by two equal ones",
    Effect.gen(function* () {
      const list = children(below(5), false)
      yield* parentsAre(list.ids.keys())
      assert.strictEqual((yield* pass(list)).state.proof, "unproven")
      assert.deepInclude((yield* pass(list)).state, { proof: "passes-agree", total: 15, parents_sure: 5 })
    })
  )

  test(
    "is empty as long as there are no parents",
    Effect.gen(function* () {
      const { state } = yield* pass(children({}))
      assert.deepInclude(state, { rows: 0, parents: 0, proof: "counts-agree" })
    })
  )

  test(
    "goes on where it was killed: no parent is skipped, and only pages in flight are asked for twice",
    Effect.gen(function* () {
      const random = seeded(7)
      const list = children(below(60, 5))
      yield* parentsAre(list.ids.keys())
      let kills = 0
      list.onAsk = () => (random.chance(0.03) ? Effect.die("killed") : Effect.void)
      while ((yield* Effect.exit(pass(list)))._tag === "Failure") assert.isBelow(++kills, 100)
      assert.isAbove(kills, 2, "seed 7")
      const times = new Map<string, number>()
      for (const each of list.asked) times.set(each, (times.get(each) ?? 0) + 1)
      assert.strictEqual(times.size, 180, "every page of every parent")
      assert.isAtMost(list.asked.length, 180 + kills * 64)
      const { proof, rows } = (yield* Checkpoints.load(yield* Store, "projects")) ?? {}
      assert.deepEqual({ proof, rows }, { proof: "counts-agree", rows: 300 })
      assert.deepStrictEqual(yield* present, all(list))
    })
  )

  test(
    "reads nothing again that was finished before it was cut off",
    Effect.gen(function* () {
      const list = children(below(200, 1))
      yield* parentsAre(list.ids.keys())
      list.onAsk = (parent) => (parent === "p0150" ? Effect.die("killed") : Effect.void)
      assert.strictEqual((yield* Effect.exit(pass(list)))._tag, "Failure")
      const store = yield* Store
      const saved = yield* store.run((db) => db.selectFrom("walk_parents").select("parent").execute())
      assert.isAbove(saved.length, 50)
      list.onAsk = () => Effect.void
      list.asked.length = 0
      assert.deepInclude((yield* pass(list)).state, { pass: 1, proof: "counts-agree", rows: 200 })
      const again = saved.filter(({ parent }) => list.asked.includes(parent))
      assert.deepStrictEqual(again, [])
      assert.strictEqual(list.asked.length, 200 - saved.length)
    })
  )

  test(
    "begins with the parents that changed since the pass before, and reads each once",
    Effect.gen(function* () {
      const list = children(below(200, 1))
      yield* parentsAre(list.ids.keys())
      yield* pass(list)
      const later = "2026-11-21T00:00:00.000000Z"
      // More than are read at once: most of them are finished by the time that the others begin.
      const changed = [...list.ids.keys()].slice(50)
      yield* write(changed.map((id) => incident(id, later, { classification: "other" })))
      list.asked.length = 0
      assert.deepInclude((yield* pass(list)).state, { proof: "proven", rows: 200 })
      assert.sameMembers(list.asked.slice(0, 150), changed)
      assert.strictEqual(list.asked.length, 200)
    })
  )

  test(
    "that fails below some parents keeps the proof of the others, and buries only below those",
    Effect.gen(function* () {
      const list = children(below(10))
      yield* parentsAre(list.ids.keys())
      yield* pass(list)
      yield* pass(list)
      for (const parent of ["p0001", "p0002", "p0003"]) list.ids.set(parent, [])
      const failing: Record<string, SourceError> = { p0002: absent, p0003: forbidden }
      list.onAsk = (parent) => (failing[parent] === undefined ? Effect.void : Effect.fail(failing[parent]))
      yield* pass(list)
      const { disturbance, failing: said, state } = yield* pass(list)
      assert.deepInclude(state, { proof: "unproven", parents: 10, parents_sure: 8, disturbed_in_a_row: 0 })
      assert.isUndefined(disturbance, "nobody hurries")
      assert.match(String(said), /can't be read below 1 of 10 rows\. It is forbidden/)
      const { p0001, p0002, p0003, p0004 } = yield* proofs
      assert.deepStrictEqual([p0001, p0002, p0003, p0004], ["proven", "unproven", "unproven", "proven"])
      const left = yield* present
      assert.deepStrictEqual(
        [11, 21, 31, 41].filter((id) => left.includes(id)),
        [21, 31, 41]
      )
    })
  )

  test(
    "that fails below all parents ends with what the service says, and saves nothing of them",
    Effect.gen(function* () {
      const list = children(below(100))
      yield* parentsAre(list.ids.keys())
      for (const failure of [forbidden, misread]) {
        list.onAsk = () => Effect.fail(failure)
        list.asked.length = 0
        assert.strictEqual((yield* Effect.flip(pass(list))).message, failure.message)
        assert.isBelow(list.asked.length, 60)
        assert.deepStrictEqual(yield* proofs, {})
      }
      list.onAsk = () => Effect.void
      assert.deepInclude((yield* pass(list)).state, { proof: "counts-agree", parents: 100 })
    })
  )

  test(
    "begins a parent again whose cursor the service has forgotten meanwhile",
    Effect.gen(function* () {
      const list = children({ p1: [1, 2, 3, 4, 5], p2: [6] })
      yield* parentsAre(list.ids.keys())
      const store = yield* Store
      const saved = Effect.repeat(Effect.orDie(Checkpoints.countPages(store, "projects")), {
        until: (pages) => pages === 3
      })
      const killed = Effect.andThen(saved, Effect.die("killed"))
      list.onAsk = (parent, from) => (parent === "p1" && from === "4" ? killed : Effect.void)
      yield* Effect.exit(pass(list))
      list.onAsk = (_parent, from) => (from === "4" && list.asked.length < 3 ? Effect.fail(notAsked) : Effect.void)
      list.asked.length = 0
      assert.deepInclude((yield* pass(list)).state, { proof: "counts-agree", rows: 6, total: 6 })
      assert.deepStrictEqual(list.asked, ["p1 4", "p1", "p1 2", "p1 4"])
    })
  )

  test(
    "buries what was below a parent that has gone, once two passes have missed it",
    Effect.gen(function* () {
      const list = children(below(4, 1))
      yield* parentsAre(list.ids.keys())
      yield* pass(list)
      yield* pass(list)
      const at = "2026-11-22T00:00:00.000000Z"
      yield* write([Change.absence("hse_incidents", "p0002", Version.make(Instant.toMicros(at), 0, ""), at)])
      // Its rows are still there.
      assert.strictEqual((yield* pass(list)).state.proof, "counts-agree")
      assert.strictEqual((yield* pass(list)).state.proof, "proven")
      assert.deepStrictEqual(yield* present, [1, 11, 31])
      assert.deepStrictEqual(Object.keys(yield* proofs), ["p0000", "p0001", "p0003"])
    })
  )

  test(
    "ends below a parent whose list leads in a circle, and says so",
    Effect.gen(function* () {
      const list = children({ p1: [1, 2, 3, 4, 5, 6, 7], p2: [8] })
      yield* parentsAre(list.ids.keys())
      const round: ChildList = {
        ...list,
        followBelow: (parent, from, lane) =>
          Effect.map(list.followBelow(parent, from, lane), (page) =>
            from === "4" && parent.key === "p1" ? { ...page, next: "2" } : page
          )
      }
      const { failing, state } = yield* pass(round)
      assert.match(String(failing), /below 1 of 2 rows\. Below p1 it leads in a circle/)
      assert.deepInclude(state, { parents: 2, rows: 7 })
      assert.isBelow(list.asked.length, 20)
    })
  )
})
