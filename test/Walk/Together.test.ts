/** Rows of several lists are written together, and each as safely as alone. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Version from "../../src/Domain/Version.ts"
import { Store } from "../../src/Stores/Store.ts"
import { type Batch, Warehouse, WarehouseError } from "../../src/Stores/Warehouse.ts"
import * as Together from "../../src/Walk/Together.ts"
import { stores } from "./Passing.ts"

const changeOf = (entity: string, id: string): Change => ({
  entity,
  id,
  version: Version.make(1, 0, ""),
  source: "page",
  seenAt: Instant.fromMicros(1),
  values: {},
  misfits: {},
  extra: {}
})

const changes = (entity: string, count: number): ReadonlyArray<Change> =>
  Array.from({ length: count }, (_, id) => changeOf(entity, String(id + 1)))

const lists = ["projects", "permits", "ncrs"] as const

/** The warehouse, whose first write waits; `sizes`: how many changes each one had. */
const world = Effect.fnUntraced(function* (refuses: (batch: Batch) => string | undefined = () => undefined) {
  const [store, warehouse] = [yield* Store, yield* Warehouse]
  const sizes: Array<number> = []
  const announced: Array<number> = []
  const go = yield* Deferred.make<void>()
  const write = Effect.fnUntraced(function* (batch: Batch) {
    sizes.push(batch.changes.length)
    announced.push((yield* Effect.orDie(store.run((db) => db.selectFrom("walk_writing").selectAll().execute()))).length)
    yield* Deferred.await(go)
    const message = refuses(batch)
    if (message !== undefined) return yield* new WarehouseError({ reason: "Refused", message })
    yield* warehouse.write(batch)
  })
  const rows = (name: (typeof lists)[number]) =>
    warehouse.query(async (db) => (await db.selectFrom(`construction.${name}`).select("id").execute()).length)
  return {
    write: yield* Together.make(store, Warehouse.of({ ...warehouse, write })),
    go: Deferred.succeed(go, undefined),
    sizes,
    announced,
    rows
  }
})

const begun = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.tap(Effect.forkChild(effect), () => Effect.repeat(Effect.yieldNow, { times: 20 }))

it.effect("what waits is written in one transaction, once its ids are announced", () =>
  Effect.gen(function* () {
    const { announced, go, rows, sizes, write } = yield* world()
    const [first, ...others] = [
      yield* begun(write("projects", changes("projects", 3))),
      yield* begun(write("permits", changes("permits", 4))),
      yield* begun(write("ncrs", changes("ncrs", 5)))
    ]
    assert.isUndefined(first.pollUnsafe())
    yield* go
    for (const fiber of [first, ...others]) yield* Fiber.join(fiber)
    assert.deepStrictEqual(sizes, [3, 9])
    assert.deepStrictEqual(announced, [1, 3])
    assert.deepStrictEqual(yield* Effect.forEach(lists, rows), [3, 4, 5])
  }).pipe(Effect.provide(stores))
)

it.effect("a transaction holds so many, or those of one list", () =>
  Effect.gen(function* () {
    const { go, rows, sizes, write } = yield* world()
    const fibers = [
      yield* begun(write("projects", changes("projects", 1))),
      yield* begun(write("permits", changes("permits", 6000))),
      yield* begun(write("ncrs", changes("ncrs", 5000)))
    ]
    yield* go
    for (const fiber of fibers) yield* Fiber.join(fiber)
    assert.deepStrictEqual(sizes, [1, 6000, 5000])
    assert.deepStrictEqual(yield* Effect.forEach(lists, rows), [1, 6000, 5000])
  }).pipe(Effect.provide(stores))
)

it.effect("a transaction fills a few tables at most", () =>
  Effect.gen(function* () {
    const { go, sizes, write } = yield* world()
    const first = yield* begun(write("projects", changes("projects", 1)))
    const names = Array.from({ length: 25 }, (_, n) => `list ${n}`)
    const fibers = yield* Effect.forEach(names, (name) => begun(write(name, changes("ncrs", 1))))
    yield* go
    for (const fiber of [first, ...fibers]) yield* Fiber.join(fiber)
    assert.deepStrictEqual(sizes, [1, 10, 10, 5])
  }).pipe(Effect.provide(stores))
)

it.effect("only the list whose rows are refused fails", () =>
  Effect.gen(function* () {
    const { go, rows, sizes, write } = yield* world(({ changes: all }) =>
      all.some(({ entity }) => entity === "permits") ? "no such permit" : undefined
    )
    const first = yield* begun(write("projects", changes("projects", 1)))
    const refused = yield* begun(write("permits", changes("permits", 2)))
    const other = yield* begun(write("ncrs", changes("ncrs", 3)))
    yield* go
    yield* Fiber.join(first)
    yield* Fiber.join(other)
    assert.strictEqual((yield* Effect.flip(Fiber.join(refused))).message, "no such permit")
    assert.deepStrictEqual(sizes, [1, 5, 2, 3])
    assert.deepStrictEqual(yield* Effect.forEach(lists, rows), [1, 0, 3])
  }).pipe(Effect.provide(stores))
)

it.effect("a list that is stopped while it waits isn't written, and the others are", () =>
  Effect.gen(function* () {
    const { go, rows, write } = yield* world()
    const first = yield* begun(write("projects", changes("projects", 1)))
    const stopped = yield* begun(write("permits", changes("permits", 2)))
    const other = yield* begun(write("ncrs", changes("ncrs", 3)))
    yield* Fiber.interrupt(stopped)
    yield* go
    yield* Fiber.join(first)
    yield* Fiber.join(other)
    assert.deepStrictEqual(yield* Effect.forEach(lists, rows), [1, 0, 3])
  }).pipe(Effect.provide(stores))
)
