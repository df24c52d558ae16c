import { assert, describe, it } from "@effect/vitest"
import { merge, type Row } from "../../../src/Domain/Merge.ts"
import { byName, type EntityName } from "../../../src/Domain/Resource.ts"
import { patience, rounds } from "../../Long.ts"
import { forSeeds } from "../../Seeded.ts"
import { entities, history } from "./RandomHistories.ts"
import { arrive, endsAs, oracle, split } from "./Histories.ts"

describe("random histories", () => {
  const check = (count: number, length: number, withPages: boolean) =>
    forSeeds(count, (random, seed) => {
      const entity: EntityName = withPages ? random.pick(entities) : random.pick(entities.slice(1))
      const changes = history(random, entity, 1 + random.below(length), withPages)
      const expected = oracle(byName(entity), changes)
      const duplicates = changes.filter(() => random.chance(0.3))
      endsAs(expected, split(random, random.shuffle([...changes, ...duplicates])), `seed ${seed}`)
    })

  it(
    "of events end in the greatest versions, with duplicates and splits",
    () => check(rounds(1000, 40_000), 12, false),
    patience
  )

  it(
    "of events, pages and tombstones end in the greatest versions",
    () => check(rounds(1000, 40_000), 12, true),
    patience
  )

  it(
    "end in the same row in 200 orders each",
    () => {
      forSeeds(rounds(10, 100), (random, seed) => {
        const changes = history(random, random.pick(entities), 15, random.chance(0.5))
        const first = arrive([changes])
        for (let order = 0; order < 200; order++) {
          endsAs(first, split(random, random.shuffle(changes)), `seed ${seed}, order ${order}`)
        }
      })
    },
    patience
  )

  it("never take a status back", () => {
    forSeeds(1000, (random, seed) => {
      const entity = random.pick(["ipcs", "vos", "ncrs", "permits"] as const)
      const stages = byName(entity).stages.map((stage) => stage.status)
      let furthest = -1
      let row: Row | undefined
      for (const change of history(random, entity, 12, true)) {
        row = merge(byName(entity), row, [change])
        const reached = stages.indexOf(row?.["status"] ?? "")
        assert.isAtLeast(reached, furthest, `seed ${seed}: ${row?.["status"]}`)
        furthest = reached
      }
    })
  })
})
