/** Verbs before any worker was started, in a shell that knows only where the data will be. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { World } from "./World.ts"

describe("a shell without a worker", () => {
  it("learns in one sentence that a query has nothing to read yet", async () => {
    await using world = await World.open({ projects: 0 })
    const { code, stderr } = await world.shell({}, "query", "select 1")
    assert.strictEqual(code, 1)
    assert.match(stderr, /^[^\n]*appears when the worker first goes live[^\n]*\n$/)
  })

  it("exports from the stores alone", async () => {
    await using world = await World.open({ projects: 0 })
    const { code, stdout, stderr } = await world.shell({}, "export", "--json")
    assert.strictEqual(code, 0, stderr)
    const { run: id } = JSON.parse(stdout) as { run: string }
    assert.isTrue(existsSync(join(world.dataDir, "lake", "_manifests", `${id}.json`)))
  })
})
