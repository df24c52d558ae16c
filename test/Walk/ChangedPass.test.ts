/**
 * The changes in a list, between passes over the whole of it, into real SQLite and DuckDB files: no change is missed,
 * whenever it happens, and nothing is proven or deleted by it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as ChangedPass from "../../src/Walk/ChangedPass.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as Pass from "../../src/Walk/Pass.ts"
import type { Page, PagedList, SerialList } from "../../src/Walk/Source.ts"
import { seeded } from "../Seeded.ts"
import { passing, stores } from "./Passing.ts"

const firstMicros = Date.UTC(2026, 10, 20) * 1000
const second = 1_000_000
const perPage = 5

/** A list that knows when each of its records changed. Each answer is a second after the one before. */
class Model implements PagedList {
  readonly resource = "projects"
  readonly records = new Map<number, { name: string; changed: number }>()
  readonly asked: Array<Instant.Instant | undefined> = []
  nowMicros = firstMicros
  /** Before a page is cut. */
  onAsk: (page: number, since: Instant.Instant | undefined) => void = () => undefined

  set(id: number, name = `Project ${id}`): void {
    this.records.set(id, { name, changed: this.nowMicros })
  }

  readonly fetch: PagedList["fetch"] = (page, _perPage, _lane, since) =>
    Effect.sync((): Page => {
      this.nowMicros += second
      // What the page shows is from here on.
      const observedMicros = this.nowMicros
      this.onAsk(page, since)
      this.asked.push(since)
      const least = since === undefined ? 0 : Instant.toMicros(since)
      const all = [...this.records].filter(([, { changed }]) => changed >= least).toSorted(([a], [b]) => a - b)
      return changesOf({
        records: all
          .slice((page - 1) * perPage, page * perPage)
          .map(([id, { name }]) => ({ id, name, status: "awarded" })),
        total: all.length,
        page,
        perPage,
        observedMicros,
        receivedAt: Instant.fromMicros(observedMicros),
        sha256: String(observedMicros).padStart(64, "0")
      })
    })
}

const filled = (count: number): Model => {
  const model = new Model()
  for (let id = 1; id <= count; id++) model.set(id)
  return model
}

const whole = (list: Model) =>
  Effect.scoped(
    Effect.gen(function* () {
      const parts = yield* passing
      const previous = yield* Checkpoints.load(parts.store, "projects")
      return yield* Pass.run({ ...parts, list, pageSize: perPage, concurrency: 1 }, previous)
    })
  )

const changed = (list: PagedList | SerialList) =>
  Effect.scoped(
    Effect.gen(function* () {
      const parts = yield* passing
      const state = yield* Checkpoints.load(parts.store, "projects")
      if (state === undefined) return assert.fail("no pass before it")
      return yield* ChangedPass.run({ ...parts, list, onPage: () => undefined }, state)
    })
  )

const rows = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.query((db) =>
    db
      .selectFrom("construction.projects")
      .select(["id", "name"])
      .where("_deleted_at", "is", null)
      .orderBy("id")
      .execute()
  )
).pipe(Effect.map((all) => Object.fromEntries(all.map(({ id, name }) => [Number(id), name]))))

const truth = ({ records }: Model) => Object.fromEntries([...records].map(([id, { name }]) => [id, name]))

describe("what changed in a list", () => {
  it.effect("is asked for from the begin of the last pass, in as many requests as it takes", () =>
    Effect.gen(function* () {
      const list = filled(23)
      const { state } = yield* whole(list)
      list.set(7, "Renamed")
      list.set(24)
      list.asked.length = 0
      const { rows: read } = yield* changed(list)
      assert.deepStrictEqual(list.asked, [state.started_at])
      assert.strictEqual(read, 2)
      assert.deepStrictEqual(yield* rows, truth(list))
      for (let id = 1; id <= 12; id++) list.set(id, `Again ${id}`)
      assert.strictEqual((yield* changed(list)).pages, 3)
      assert.deepStrictEqual(yield* rows, truth(list))
    }).pipe(Effect.provide(stores))
  )

  it.effect("is read by the next one if it changes while one runs, even behind its back", () =>
    Effect.gen(function* () {
      const list = filled(12)
      yield* whole(list)
      for (let id = 1; id <= 12; id++) list.set(id, `Second ${id}`)
      list.onAsk = (page) => void (page === 3 && list.set(1, "Third 1"))
      yield* changed(list)
      list.onAsk = () => undefined
      yield* changed(list)
      assert.deepStrictEqual(yield* rows, truth(list))
      // After one page, from the begin of that.
      list.asked.length = 0
      yield* changed(list)
      yield* changed(list)
      assert.notStrictEqual(list.asked[0], list.asked.at(-1))
    }).pipe(Effect.provide(stores))
  )

  it.effect("that slips through from page to page is asked for again, as long as it takes", () =>
    Effect.gen(function* () {
      const list = new Model()
      for (let id = 2; id <= 13; id++) list.set(id)
      yield* whole(list)
      yield* changed(list)
      for (let id = 2; id <= 13; id++) list.set(id, `Second ${id}`)
      // Another takes the place of one that was read, so that project 7 is on the first page by then: nobody can notice.
      list.onAsk = (page) => {
        if (page !== 2) return
        list.records.delete(2)
        list.set(14)
      }
      yield* changed(list)
      assert.strictEqual((yield* rows)[7], "Project 7")
      list.set(1)
      list.onAsk = (page) => void (page === 2 && list.records.delete(3))
      yield* changed(list)
      assert.strictEqual((yield* rows)[7], "Project 7", "this time it is noticed")
      list.onAsk = () => undefined
      yield* changed(list)
      assert.strictEqual((yield* rows)[7], "Second 7")
      const [before, after] = [list.asked.at(-1) ?? "", (yield* changed(list)) && (list.asked.at(-1) ?? "")]
      assert.isAbove(Instant.toMicros(after), Instant.toMicros(before), "then it goes on")
    }).pipe(Effect.provide(stores))
  )

  it.effect("proves nothing, and takes nothing that it doesn't show for deleted", () =>
    Effect.gen(function* () {
      const list = filled(12)
      yield* whole(list)
      const { state } = yield* whole(list)
      assert.strictEqual(state.proof, "proven")
      list.records.delete(3)
      list.set(13)
      for (let times = 0; times < 4; times++) yield* changed(list)
      assert.isTrue(3 in (yield* rows))
      const after = yield* Checkpoints.load(yield* Store, "projects")
      assert.isNotNull(after?.changed_at)
      const { changed_at, changed_began, changed_from } = state
      assert.deepStrictEqual({ ...after, changed_at, changed_began, changed_from }, { ...state })
      // 13 was in no pass before.
      assert.strictEqual((yield* whole(list)).state.proof, "counts-agree")
      assert.isTrue(3 in (yield* rows))
      assert.strictEqual((yield* whole(list)).state.proof, "proven")
      assert.deepStrictEqual(yield* rows, truth(list))
    }).pipe(Effect.provide(stores))
  )

  it.effect("that is gone by the next pass is buried only after two that don't show it", () =>
    Effect.gen(function* () {
      const list = filled(12)
      yield* whole(list)
      yield* whole(list)
      list.set(13)
      yield* changed(list)
      list.records.delete(13)
      assert.strictEqual((yield* whole(list)).state.proof, "proven")
      assert.isTrue(13 in (yield* rows), "one pass isn't enough")
      yield* whole(list)
      assert.deepStrictEqual(yield* rows, truth(list))
    }).pipe(Effect.provide(stores))
  )

  it.effect("is followed page after page where pages say where the next one is", () =>
    Effect.gen(function* () {
      const list = filled(12)
      yield* whole(list)
      for (let id = 4; id <= 12; id++) list.set(id, `Second ${id}`)
      const serial: SerialList = {
        resource: "projects",
        isCounted: false,
        follow: (from, lane, since) =>
          Effect.map(list.fetch(Number(from ?? 1), perPage, lane, since), (page) => ({
            ...page,
            total: 0,
            next: page.page * perPage < page.total ? String(page.page + 1) : undefined
          }))
      }
      assert.strictEqual((yield* changed(serial)).pages, 2)
      assert.deepStrictEqual(yield* rows, truth(list))
    }).pipe(Effect.provide(stores))
  )

  it.effect("is never missed, over lists that change at random while they are read", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 5; seed++) {
        yield* Effect.gen(function* () {
          const random = seeded(seed)
          const list = filled(20)
          let next = 100
          yield* whole(list)
          list.onAsk = () => {
            for (let n = random.below(4); n > 0; n--) {
              const ids = [...list.records.keys()]
              const id = random.chance(0.3) ? next++ : (ids[random.below(ids.length)] ?? 1)
              if (random.chance(0.1)) list.records.delete(id)
              else list.set(id, `Name ${random.below(1e9)}`)
            }
          }
          for (let times = 0; times < 8; times++) yield* changed(list)
          list.onAsk = () => undefined
          yield* changed(list)
          const copy = yield* rows
          for (const [id, name] of Object.entries(truth(list)))
            assert.strictEqual(copy[Number(id)], name, `seed ${seed}`)
        }).pipe(Effect.provide(stores, { local: true }))
      }
    })
  )
})
