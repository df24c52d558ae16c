/** Changes while the copy for analysts is made whole, part by part: none is missed, and the copy keeps no one out. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { DuckDbSnapshot } from "../../../src/Stores/DuckDb/Snapshot.ts"
import { killAll, start } from "./OtherProcess.ts"
import { batch, withWorld } from "./PublicationWorld.ts"

afterAll(killAll)

describe("copies for analysts", () => {
  it.each([
    ["a little", 0],
    ["too much to be added", 200_001]
  ])("copied in many parts hold what was written meanwhile, if that is %s", (_how, keys) =>
    withWorld(
      async (world) => {
        await world.write(batch(1))
        await world.publish(true)
        await world.compare()
      },
      {
        columnsAtOnce: 1,
        afterPart: async (world, part) => {
          await world.write(batch(part + 1))
          world.wrote(
            "ipcs",
            Array.from({ length: keys }, (_, n) => String(n))
          )
        }
      }
    )
  )

  it("can be read while an export goes on that began when they were being made", () => {
    let snapshot: DuckDbSnapshot | undefined
    return withWorld(
      async ({ publish, target, write }) => {
        await write(batch(1))
        await publish(true)
        assert.isDefined(snapshot)
        const { exited, outcome } = await start(target, ["select id from construction.ipcs"], true)
        await exited
        assert.isUndefined(outcome.error)
        await snapshot?.close()
      },
      {
        columnsAtOnce: 1,
        afterPart: async ({ instance }) => {
          snapshot ??= await DuckDbSnapshot.open(instance, [{ name: "ipcs" }], (run) => run())
        }
      }
    )
  })
})
