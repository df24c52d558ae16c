/** How a lane's requests are shared: by need first, but never more than an equal part of what is left. */
import { assert, describe, it } from "@effect/vitest"
import { shared } from "../../src/Walk/Shares.ts"
import { seeded } from "../Seeded.ts"

const sharesOf = (needs: Readonly<Record<string, number>>, rate: number) =>
  Object.fromEntries(
    [...shared(new Map(Object.entries(needs)), rate)].map(([name, share]) => [name, Number(share.toFixed(1))])
  )

describe("shares", () => {
  it("are equal where nobody can be in time", () => {
    assert.deepStrictEqual(sharesOf({ a: Infinity, b: Infinity }, 10), { a: 5, b: 5 })
    assert.deepStrictEqual(sharesOf({ a: 100, b: 7 }, 10), { a: 5, b: 5 })
  })

  it("are what is needed, as far as it is no more than that, and the rest is for those who need more", () => {
    assert.deepStrictEqual(sharesOf({ huge: Infinity, small: 1, tight: 3 }, 10), { small: 1, tight: 3, huge: 6 })
  })

  it("leave nothing over: what nobody needs is for all", () => {
    assert.deepStrictEqual(sharesOf({ a: 1, b: 3 }, 10), { a: 4, b: 6 })
  })

  it("are in time for every need that fits, and never nothing", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const random = seeded(seed)
      const needs = new Map(
        Array.from({ length: 1 + random.below(40) }, (_, n) => [String(n), random.below(1000) / 100])
      )
      const rate = 50
      const shares = shared(needs, rate)
      for (const [name, need] of needs) {
        const share = shares.get(name) ?? 0
        assert.isAbove(share, 0, `seed ${seed}`)
        assert.isAtLeast(share, Math.min(need, rate / needs.size) - 1e-9, `seed ${seed}`)
      }
      const sum = [...shares.values()].reduce((all, share) => all + share, 0)
      assert.isAtMost(sum, rate * 1.001 + 1e-9, `seed ${seed}`)
      assert.isAtLeast(sum, rate - 1e-9, `seed ${seed}`)
    }
  })
})
