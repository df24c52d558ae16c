/**
 * One pass after another over a list whose pages say where the next one is, into real SQLite and DuckDB files. An
 * interrupted pass resumes where it was; a list without a total is proven by two equal passes.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as SerialPass from "../../src/Walk/SerialPass.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import { type SerialList, type SerialPage, SourceError } from "../../src/Walk/Source.ts"
import { passing, stores } from "./Passing.ts"

interface Model extends SerialList {
  ids: Array<number>
  readonly asked: Array<string | undefined>
  /** Before a page is cut. */
  onAsk: (from: string | undefined) => Effect.Effect<void, SourceError>
  /** Where each page leads, if not to the next record. */
  leadsTo: string | undefined
}

const firstMicros = Date.UTC(2026, 10, 20) * 1000
const pageSize = 5

const serial = (ids: ReadonlyArray<number>, isCounted = false): Model => {
  const model: Model = {
    resource: "projects",
    isCounted,
    ids: [...ids],
    asked: [],
    onAsk: () => Effect.void,
    leadsTo: undefined,
    follow: (from) =>
      Effect.andThen(
        model.onAsk(from),
        Effect.suspend(() => Effect.succeed(linkFrom(model, from)))
      )
  }
  return model
}

/** A page begins after the id that it is asked for. */
const linkFrom = (model: Model, from: string | undefined): SerialPage => {
  model.asked.push(from)
  const at = firstMicros + model.asked.length * 1_000_000
  const records = model.ids.filter((id) => id > Number(from ?? 0)).slice(0, pageSize)
  const last = records.at(-1)
  const next = last === undefined || last === model.ids.at(-1) ? undefined : String(last)
  return {
    ...changesOf({
      records: records.map((id) => ({ id, name: `Project ${id}`, status: "awarded" })),
      observedMicros: at,
      receivedAt: Instant.fromMicros(at),
      sha256: String(at).padStart(64, "0")
    }),
    total: from === undefined && model.isCounted ? model.ids.length : 0,
    next: model.leadsTo ?? next
  }
}

const pass = (list: SerialList) =>
  Effect.scoped(
    Effect.gen(function* () {
      const parts = yield* passing
      return yield* SerialPass.run({ ...parts, list }, yield* Checkpoints.load(parts.store, "projects"))
    })
  )

const present = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.query((db) =>
    db.selectFrom("construction.projects").select("id").where("_deleted_at", "is", null).orderBy("id").execute()
  )
).pipe(Effect.map((rows) => rows.map(({ id }) => Number(id))))

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

const refused = (reason: SourceError["reason"]) => new SourceError({ reason, message: "no such cursor" })

describe("a pass over pages that follow each other", () => {
  it.effect("without a total proves nothing alone; two equal ones agree", () =>
    Effect.gen(function* () {
      const list = serial(range(1, 12))
      const first = yield* pass(list)
      assert.deepInclude(first.state, { proof: "unproven", rows: 12, total: 12, pages_total: 3, disturbed_in_a_row: 0 })
      assert.isUndefined(first.disturbance)
      assert.deepStrictEqual(list.asked, [undefined, "5", "10"])
      const second = yield* pass(list)
      assert.strictEqual(second.state.proof, "passes-agree")
      assert.deepStrictEqual(yield* present, range(1, 12))
    }).pipe(Effect.provide(stores))
  )

  it.effect("with a total agrees with it, and the next one proves it", () =>
    Effect.gen(function* () {
      const list = serial(range(1, 12), true)
      assert.strictEqual((yield* pass(list)).state.proof, "counts-agree")
      assert.strictEqual((yield* pass(list)).state.proof, "proven")
      const short: SerialList = {
        ...list,
        follow: (from) => Effect.map(list.follow(from, "backfill"), (link) => ({ ...link, total: 99 }))
      }
      const { disturbance, state } = yield* pass(short)
      assert.strictEqual(state.proof, "unproven")
      assert.match(String(disturbance), /showed 12 distinct ids, but its total is/)
    }).pipe(Effect.provide(stores))
  )

  it.effect("goes on where it was cut off, and writes no page twice", () =>
    Effect.gen(function* () {
      const list = serial(range(1, 22))
      list.onAsk = (from) => (from === "10" ? Effect.fail(refused("Refused")) : Effect.void)
      assert.strictEqual((yield* Effect.flip(pass(list)))._tag, "SourceError")
      list.onAsk = () => Effect.void
      list.asked.length = 0
      const { state } = yield* pass(list)
      assert.deepStrictEqual(list.asked, ["10", "15", "20"])
      assert.deepInclude(state, { pass: 1, rows: 22, pages_total: 5 })
      assert.deepStrictEqual(yield* present, range(1, 22))
    }).pipe(Effect.provide(stores))
  )

  it.effect("ends as disturbed where the service doesn't know the cursor any more, and begins again", () =>
    Effect.gen(function* () {
      const list = serial(range(1, 12))
      list.onAsk = (from) => (from === "5" ? Effect.fail(refused("PageSizeRefused")) : Effect.void)
      const { disturbance, state } = yield* pass(list)
      assert.strictEqual(disturbance, "no such cursor")
      assert.deepInclude(state, { proof: "unproven", disturbed_in_a_row: 1 })
      list.onAsk = () => Effect.void
      list.asked.length = 0
      yield* pass(list)
      assert.deepStrictEqual(list.asked, [undefined, "5", "10"])
      const absent = new SourceError({ reason: "Refused", isAbsent: true, message: "gone" })
      list.onAsk = (from) => (from === "5" ? Effect.fail(absent) : Effect.void)
      assert.strictEqual((yield* pass(list)).disturbance, "gone")
      // Nothing at all is there: only a person can help.
      list.onAsk = () => Effect.fail(absent)
      assert.strictEqual((yield* Effect.flip(pass(list)))._tag, "SourceError")
    }).pipe(Effect.provide(stores))
  )

  it.effect("ends where the list leads in a circle, at once or by a way round", () =>
    Effect.gen(function* () {
      const list = serial(range(1, 12))
      list.leadsTo = "5"
      const { disturbance, state } = yield* pass(list)
      assert.strictEqual(disturbance, "The list of projects leads in a circle.")
      assert.strictEqual(state.proof, "unproven")
      const round = serial(range(1, 12))
      round.onAsk = (from) => Effect.sync(() => void (round.leadsTo = from === "5" ? "6" : "5"))
      assert.strictEqual((yield* pass(round)).disturbance, "The list of projects leads in a circle.")
      assert.isBelow(round.asked.length, 400)
    }).pipe(Effect.provide(stores))
  )

  it.effect("buries what two equal ones didn't show, and nothing after one that something disturbed", () =>
    Effect.gen(function* () {
      const list = serial(range(1, 12))
      yield* pass(list)
      list.ids = range(1, 9)
      yield* pass(list)
      list.onAsk = (from) => (from === "5" ? Effect.fail(refused("PageSizeRefused")) : Effect.void)
      yield* pass(list)
      assert.deepStrictEqual(yield* present, range(1, 12), "disturbed")
      list.onAsk = () => Effect.void
      assert.strictEqual((yield* pass(list)).state.proof, "unproven")
      assert.deepStrictEqual(yield* present, range(1, 12), "the pass before it was disturbed")
      assert.strictEqual((yield* pass(list)).state.proof, "passes-agree")
      assert.deepStrictEqual(yield* present, range(1, 9))
    }).pipe(Effect.provide(stores))
  )

  it.effect("keeps no cursor in clear", () =>
    Effect.gen(function* () {
      const list = serial(range(7_000_001, 7_000_022))
      list.onAsk = (from) => (from === "7000015" ? Effect.fail(refused("Refused")) : Effect.void)
      yield* Effect.flip(pass(list))
      const state = yield* Checkpoints.load(yield* Store, "projects")
      assert.match(String(state?.next_from), /^sealed1\./)
      assert.notInclude(JSON.stringify(state), "70000")
    }).pipe(Effect.provide(stores))
  )

  it.effect("that was cut off begins again if the list is read otherwise since", () =>
    Effect.gen(function* () {
      const list = serial(range(1, 22))
      list.onAsk = (from) => (from === "10" ? Effect.fail(refused("Refused")) : Effect.void)
      yield* Effect.flip(pass({ ...list, definition: "one" }))
      list.onAsk = () => Effect.void
      list.asked.length = 0
      const { state } = yield* pass({ ...list, definition: "another" })
      assert.strictEqual(list.asked[0], undefined)
      assert.strictEqual(list.asked.length, 5)
      assert.deepInclude(state, { pass: 2, definition: "another" })
    }).pipe(Effect.provide(stores))
  )
})
