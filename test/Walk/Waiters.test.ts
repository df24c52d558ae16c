/** Which list is next in a lane, when lists come and go and need more or less each time. */
import { assert, it } from "@effect/vitest"
import { Deferred } from "effect"
import { needed } from "../../src/Walk/Shares.ts"
import { type Waiter, Waiters } from "../../src/Walk/Waiters.ts"

/** Ten turns a second, all of them wanted by a huge list. */
const lane = () => {
  const waiters = new Waiters(10)
  const names = new Map<Waiter, string>()
  const state = { nowMs: 0 }
  const add = (name: string, need: (nowMs: number) => number): Waiter => {
    const waiter = { turn: Deferred.makeUnsafe<void>(), of: name }
    names.set(waiter, name)
    waiters.add(waiter, { name, isFirst: false, need }, state.nowMs)
    return waiter
  }
  const endless = () => Infinity
  for (let n = 0; n < 64; n++) add("huge", endless)
  /** Returns whose turn it was. */
  const turn = (): string => {
    state.nowMs += 100
    const name = names.get(waiters.take(state.nowMs)!) ?? "nobody"
    if (name === "huge") add("huge", endless)
    return name
  }
  /** In milliseconds, until it has its turn. */
  const waited = (name: string, need: (nowMs: number) => number): number => {
    const from = state.nowMs
    add(name, need)
    for (let turns = 0; turns < 100_000; turns++) if (turn() === name) return state.nowMs - from
    return Infinity
  }
  return { add, state, turn, waited, waiters }
}

it("a list that needed nearly nothing, and needs more when it is back, doesn't wait for what it had", () => {
  const { turn, waited } = lane()
  assert.isAtMost(
    waited("small", () => 1e-9),
    1000
  )
  for (let turns = 0; turns < 50; turns++) turn()
  assert.isAtMost(
    waited("small", () => 1),
    2500
  )
})

it("a list is walked in time again and again, whatever it needs while it is away", () => {
  const { state, turn, waited } = lane()
  for (let walk = 0; walk < 5; walk++) {
    const from = state.nowMs
    let left = 3
    while (left > 0) {
      waited("small", (nowMs) => needed(left, from + 60_000 - nowMs))
      left--
    }
    assert.isAtMost(state.nowMs - from, 60_000, `walk ${walk}`)
    while (state.nowMs < from + 60_000) turn()
  }
})

it("who leaves is no longer waited for", () => {
  const waiters = new Waiters(10)
  const sharing = { name: "a", isFirst: false, need: () => 1 }
  const waiter = { turn: Deferred.makeUnsafe<void>(), of: "a" }
  waiters.add(waiter, sharing, 0)
  assert.strictEqual(waiters.size, 1)
  waiters.delete(waiter)
  waiters.delete(waiter)
  assert.strictEqual(waiters.size, 0)
  assert.isUndefined(waiters.take(0))
})
