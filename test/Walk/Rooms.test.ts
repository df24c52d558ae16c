/** Lists that are walked at once share the room for pages in flight, in stretches; one alone has all of it. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Rooms from "../../src/Walk/Rooms.ts"
import { Sharer } from "../../src/Walk/Waiters.ts"

const settled = Effect.gen(function* () {
  for (let turns = 0; turns < 20; turns++) yield* Effect.yieldNow
})

const sharer = (name: string) => ({ name, isFirst: false, need: () => Infinity })

/** Lists that want as much room as there is. */
const world = Effect.fnUntraced(function* (pages: number, prefersFewTables = true) {
  const rooms = yield* Rooms.make({ pages, perSecond: 10, prefersFewTables })
  const entered: Array<string> = []
  const open = Effect.fnUntraced(function* (name: string, wants: number) {
    const scope = yield* Scope.make()
    const room = yield* Scope.provide(rooms.open, scope)
    const enter = Effect.andThen(
      room.enter,
      Effect.sync(() => entered.push(name))
    )
    yield* Effect.forkChild(
      Effect.provideService(
        Effect.forEach(Array.from({ length: wants }), () => enter, { concurrency: "unbounded", discard: true }),
        Sharer,
        sharer(name)
      )
    )
    yield* settled
    return { ...room, close: Scope.close(scope, Exit.void) }
  })
  const count = (name: string): number => entered.filter((each) => each === name).length
  return { open, count, entered }
})

it.effect("one list has all of the room", () =>
  Effect.gen(function* () {
    const { count, open } = yield* world(12)
    const room = yield* open("a", 100)
    assert.strictEqual(count("a"), 12)
    yield* room.leave(5)
    yield* settled
    assert.strictEqual(count("a"), 17)
  })
)

it.effect("more pages are asked for as long as none waits, and fewer while many do", () =>
  Effect.gen(function* () {
    const { count, open } = yield* world(128)
    const room = yield* open("a", 1000)
    assert.strictEqual(count("a"), 32)
    const oneByOne = Effect.gen(function* () {
      yield* room.came
      yield* room.leave(1)
      yield* settled
    })
    for (let pages = 0; pages < 200; pages++) yield* oneByOne
    assert.strictEqual(count("a"), 200 + 128)
    for (let pages = 0; pages < 128; pages++) yield* room.came
    for (let written = 0; written < 80; written += 10) yield* room.leave(10)
    yield* settled
    assert.strictEqual(count("a"), 200 + 128, "with 128, 80 fewer wait, and are asked for no more")
  })
)

it.effect("what waits of a list that has ended isn't waited for", () =>
  Effect.gen(function* () {
    const { count, open } = yield* world(64)
    const a = yield* open("a", 32)
    for (let pages = 0; pages < 32; pages++) yield* a.came
    yield* a.close
    yield* open("b", 64)
    assert.strictEqual(count("b"), 64)
  })
)

it.effect("each list has its stretch of pages, one after the other", () =>
  Effect.gen(function* () {
    const { entered, open } = yield* world(1)
    const room = yield* open("a", 1)
    for (const name of ["b", "c"]) yield* open(name, 100)
    for (let pages = 0; pages < 60; pages++) {
      yield* room.leave(1)
      yield* settled
    }
    const stretches = entered.flatMap((name, at) => (name === entered[at - 1] ? [] : [name]))
    assert.deepStrictEqual(stretches, ["a", "b", "c", "b"])
    assert.strictEqual(entered.filter((name) => name === "c").length, 20)
  })
)

it.effect("where pages come slowly, lists take turns", () =>
  Effect.gen(function* () {
    const { entered, open } = yield* world(1)
    const room = yield* open("a", 1)
    for (const name of ["b", "c"]) yield* open(name, 100)
    for (let pages = 0; pages < 4; pages++) {
      yield* TestClock.adjust("500 millis")
      yield* room.leave(1)
      yield* settled
    }
    assert.deepStrictEqual(entered, ["a", "b", "c", "b", "c"])
  })
)

it.effect("a list whose service never answers leaves the others two pages each", () =>
  Effect.gen(function* () {
    const { count, open } = yield* world(32)
    const stuck = yield* open("stuck", 32)
    assert.strictEqual(count("stuck"), 32)
    const b = yield* open("b", 100)
    yield* open("c", 100)
    yield* TestClock.adjust("4 seconds")
    assert.strictEqual(count("b"), 0)
    yield* TestClock.adjust("1 seconds")
    yield* settled
    assert.strictEqual(count("b"), 2)
    assert.strictEqual(count("c"), 2)
    assert.strictEqual(count("stuck"), 32)
    // Without waiting for them again.
    for (let pages = 0; pages < 10; pages++) {
      yield* b.came
      yield* b.leave(1)
      yield* settled
    }
    assert.strictEqual(count("b"), 12)
    yield* stuck.close
    yield* settled
    assert.isAbove(count("b"), 30)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(count("stuck") + count("b") + count("c"), 32 + 10 + 32)
  })
)

it.effect("a list that lost its patience waits like others once it is given room", () =>
  Effect.gen(function* () {
    const { count, open } = yield* world(4)
    const stuck = yield* open("stuck", 4)
    const b = yield* open("b", 8)
    yield* TestClock.adjust("5 seconds")
    yield* settled
    assert.strictEqual(count("b"), 2)
    yield* stuck.leave(3)
    yield* settled
    assert.strictEqual(count("b"), 3)
    yield* open("c", 100)
    yield* TestClock.adjust("1 seconds")
    yield* b.leave(3)
    yield* settled
    assert.deepStrictEqual([count("b"), count("c")], [3, 3])
  })
)

it.effect("among many lists none loses its patience before each could have had its stretch", () =>
  Effect.gen(function* () {
    const { count, open } = yield* world(32)
    yield* open("stuck", 32)
    const names = Array.from({ length: 20 }, (_, n) => `list ${n}`)
    for (const name of names) yield* open(name, 8)
    yield* TestClock.adjust("9 seconds")
    yield* settled
    assert.deepStrictEqual(new Set(names.map(count)), new Set([0]))
    yield* TestClock.adjust("1 seconds")
    yield* settled
    assert.deepStrictEqual(new Set(names.map(count)), new Set([2]))
  })
)

it.effect("any list loses it as soon as ever where the warehouse doesn't mind how many tables change", () =>
  Effect.gen(function* () {
    const { count, open } = yield* world(32, false)
    yield* open("stuck", 32)
    const names = Array.from({ length: 20 }, (_, n) => `list ${n}`)
    for (const name of names) yield* open(name, 8)
    yield* TestClock.adjust("5 seconds")
    yield* settled
    assert.deepStrictEqual(new Set(names.map(count)), new Set([2]))
  })
)

it.effect("a list's patience begins again when it is given room", () =>
  Effect.gen(function* () {
    const { count, open } = yield* world(4)
    const stuck = yield* open("stuck", 4)
    yield* open("b", 8)
    yield* TestClock.adjust("4 seconds")
    yield* stuck.leave(1)
    yield* TestClock.adjust("5 seconds")
    yield* settled
    assert.strictEqual(count("b"), 1)
    yield* TestClock.adjust("1 seconds")
    yield* settled
    assert.strictEqual(count("b"), 2)
  })
)
