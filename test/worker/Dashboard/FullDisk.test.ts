/** Signing in to the dashboard of a worker whose disk is full. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { until } from "../../RunningWorker.ts"
import { fill, onDisk, unmountable } from "../../SmallDisk.ts"
import { Browsing } from "../Browsing.ts"
import { World } from "../World.ts"

const skipping = unmountable === undefined ? "" : ` (skipped: ${unmountable})`

describe("on a full disk", () => {
  const refusal = (text: string): string => (JSON.parse(text) as { readonly error: string }).error

  it.skipIf(unmountable !== undefined)(
    `who signs in is let in or told why not in a sentence, and is let in once there is room${skipping}`,
    () =>
      onDisk(async (folder) => {
        await using world = await World.open({ projects: 3 }, { SITELEDGER_DATA_DIR: folder }, "duckdb")
        const worker = world.start()
        await worker.live()
        const browser = new Browsing(worker)
        const signIn = () => browser.signIn({ token: worker.note()?.token ?? "" })
        const filler = join(folder, "filler")
        fill(filler)
        const full = await until("the disk is full for it, too", async () => {
          const answer = await signIn()
          return answer.status === 200 ? undefined : answer
        })
        assert.strictEqual(full.status, 500)
        assert.match(refusal(full.text), /^[^\n]*(disk is full|No space left|no room)[^\n]*free [^\n]*\.$/i)
        assert.notInclude(full.text, "    at ")
        // The page itself is there, to say so.
        assert.strictEqual((await browser.ask("GET", "/")).status, 200)
        rmSync(filler)
        assert.strictEqual(
          (
            await until("there is room", async () => {
              const answer = await signIn()
              return answer.status === 200 ? answer : undefined
            })
          ).status,
          200
        )
        assert.strictEqual((await browser.ask("GET", "/session")).status, 200)
        await worker.stop()
      })
  )
})
