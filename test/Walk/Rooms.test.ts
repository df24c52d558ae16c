/** Lists that are walked at once share the room for pages in flight; one alone has all of it. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as Rooms from "../../src/Walk/Rooms.ts"

it.effect("one list has all of the room, several an equal part, and each at least two pages", () =>
  Effect.gen(function* () {
    const rooms = Rooms.make(12)
    const entered = new Map<string, number>()
    const scopes: Array<Scope.Closeable> = []
    const open = Effect.fnUntraced(function* (name: string) {
      const scope = yield* Scope.make()
      scopes.push(scope)
      const room = yield* Scope.provide(rooms.open, scope)
      const entering = Effect.andThen(
        room.enter,
        Effect.sync(() => entered.set(name, (entered.get(name) ?? 0) + 1))
      )
      yield* Effect.forkChild(Effect.forEach(Array.from({ length: 20 }), () => entering, { discard: true }))
      for (let turns = 0; turns < 10; turns++) yield* Effect.yieldNow
      return room
    })
    const first = yield* open("a")
    assert.strictEqual(entered.get("a"), 12)
    const second = yield* open("b")
    assert.strictEqual(entered.get("b"), 6)
    yield* first.leave(5)
    for (let turns = 0; turns < 10; turns++) yield* Effect.yieldNow
    assert.strictEqual(entered.get("a"), 12, "it has more than its part")
    yield* first.leave(3)
    for (let turns = 0; turns < 10; turns++) yield* Effect.yieldNow
    assert.strictEqual(entered.get("a"), 14)
    for (let n = 0; n < 10; n++) yield* open(`c ${n}`)
    assert.strictEqual(entered.get("c 9"), 2)
    yield* second.leave(6)
    for (const scope of scopes.slice(2)) yield* Scope.close(scope, Exit.void)
  })
)
