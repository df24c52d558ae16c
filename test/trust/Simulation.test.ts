/**
 * The simulation in its short form: busy days end without a violation, a seed plays the same day again, and the planted
 * breaks still fit the sources. `node trust/simulation/breaks.ts` plants all of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { broken, printed } from "../../trust/simulation/breaks.ts"
import { playSeed, playSteps } from "../../trust/simulation/Day.ts"
import { breaks } from "../../trust/simulation/Planted.ts"
import { stepsOf } from "../../trust/simulation/Steps.ts"
import { patience, rounds } from "../Long.ts"

describe("simulated days", () => {
  it(
    "end as the service's truth says, whatever is lost, repeated, reordered or cut off",
    async () => {
      const asked = rounds(6, 10_000)
      let busy = 0
      for (let seed = 1; busy < asked; seed++) {
        const day = await playSeed(seed)
        if (!day.isBusy) continue
        busy++
        assert.deepStrictEqual(day.violations, [], `node trust/simulation/run.ts --seed ${seed}`)
      }
    },
    rounds(1, 20) * patience
  )

  it(
    "are the same for the same seed, to the last statement, and others for another",
    async () => {
      const one = await playSeed(7)
      const other = await playSteps(7, stepsOf(7))
      assert.isAbove(one.steps, 500)
      assert.strictEqual(other.hash, one.hash)
      assert.notStrictEqual((await playSeed(8)).hash, one.hash)
    },
    patience
  )
})

describe("planted breaks", () => {
  it("are at least fifty, and each fits its file in one place", () => {
    assert.isAtLeast(breaks.length, 50)
    for (const planted of breaks) assert.include(broken(planted), planted.replace)
  })

  it(
    "are found, and a failing seed replays exactly and shrinks: a watermark above what is applied",
    async () => {
      const planted = breaks.find(({ why }) => why.startsWith("the watermark")) ?? assert.fail("no such break")
      const [first = "", alone = ""] = await printed(planted, ["--runs", "3", "--first"], ["--seed", "1"])
      const said = (text: string) => text.split("\n").filter((line) => line.startsWith("seed "))
      assert.match(said(first)[0] ?? "", /^seed 1: trace [0-9a-f]{64}$/)
      assert.match(said(first)[1] ?? "", /^seed 1: .*the watermark/)
      assert.deepStrictEqual(said(alone), said(first))
      assert.match(alone, /^[1-9] of \d{2} steps lead there:$/m)
    },
    patience
  )
})
