import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { kinds, latest, tally } from "../../../sandbox/Administration/Records.ts"
import * as Events from "../../../sandbox/Events.ts"
import * as Truth from "../../../sandbox/Truth.ts"

const events = Events.make({
  identity: "test",
  seed: 7,
  startAtMillis: Date.UTC(2026, 0, 5, 8),
  microsPerStep: 1_000_000,
  ipcs: 6,
  projects: 10
})
const steps = Array.from({ length: 60 }, (_, at) => at * 5 + (at % 3))

describe("Records in progress", () => {
  it.effect("are counted by stage as the events say, at every step", () =>
    Effect.gen(function* () {
      let now = 0
      const counted = tally(events).counts(() => now)
      for (now of steps) {
        const counts = yield* counted
        const expected = new Map<string, number>()
        for (const { entity, status } of Truth.entities(events, now)) {
          expected.set(`${entity} ${status}`, (expected.get(`${entity} ${status}`) ?? 0) + 1)
        }
        const found = kinds.flatMap(({ entity, stages }) =>
          stages.flatMap((stage): ReadonlyArray<readonly [string, number]> => {
            const many = counts(entity, stage)
            return many === 0 ? [] : [[`${entity} ${stage}`, many]]
          })
        )
        assert.deepStrictEqual(Object.fromEntries(found), Object.fromEntries([...expected].toSorted()), `${now} steps`)
      }
    })
  )

  it("come newest change first, each once, with the status by the events", () => {
    for (const step of steps) {
      const truths = new Map([...Truth.entities(events, step)].map((truth) => [truth.id, truth]))
      for (const { entity } of kinds) {
        const shown = latest(events, step, entity, 20)
        const all = [...truths.values()].filter((truth) => truth.entity === entity)
        assert.strictEqual(shown.length, Math.min(20, all.length))
        assert.strictEqual(new Set(shown.map(({ id }) => id)).size, shown.length)
        assert.isTrue(shown.every(({ id, status }) => truths.get(id)?.status === status))
        const times = shown.map(({ changedAt }) => changedAt)
        assert.deepStrictEqual(times, times.toSorted().toReversed())
        const changes = all.map(({ fields }) =>
          Object.entries(fields).reduce((last, [name, at]) => (name.endsWith("_at") && at > last ? at : last), "")
        )
        assert.deepStrictEqual(times, changes.toSorted().toReversed().slice(0, 20))
      }
    }
  })
})
