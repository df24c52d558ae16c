/** DNS that fails: the reason names the host and the variable, and the name is looked up again. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { examined, includes } from "../Doctor/Examined.ts"
import { applied } from "../Past.ts"
import { World } from "../World.ts"

const preload = fileURLToPath(new URL("failing-names.ts", import.meta.url))

const words = {
  ENOTFOUND: (host: string) => `there is no host named ${host} \\(ENOTFOUND\\)`,
  EAI_AGAIN: (host: string) => `the host name ${host} can't be looked up for now \\(DNS\\) \\(EAI_AGAIN\\)`
}

const named = async () => {
  const world = await World.open({ projects: 3 })
  const at = (url: string, host: string) => url.replace("127.0.0.1", host)
  const file = join(world.dataDir, "names")
  Object.assign(world.environment, {
    SITELEDGER_BASE_URL: at(world.server.baseUrl, "api.service.test"),
    SITELEDGER_AUTH_URL: at(world.server.authUrl, "auth.service.test"),
    NODE_OPTIONS: `--import ${preload}`,
    FAILING_NAMES: file
  })
  const failWith = (code: string) => writeFileSync(file, code)
  failWith("")
  return { world, failWith }
}

describe("a host name that can't be looked up", () => {
  for (const [code, sentence] of Object.entries(words)) {
    it(`(${code}) is named with its variable, by the worker and by doctor, and is looked up again`, async () => {
      const { failWith, world } = await named()
      await using _world = world
      failWith(code)
      const { failed } = await examined(world.environment)
      includes(
        failed,
        new RegExp(`^token: .*\\(SITELEDGER_AUTH_URL\\) can't be reached: ${sentence("auth.service.test")}\\.`)
      )
      includes(
        failed,
        new RegExp(`^service: .*\\(SITELEDGER_BASE_URL\\) can't be reached: ${sentence("api.service.test")}\\.`)
      )
      const worker = world.start({ SITELEDGER_WALK_EVERY: "300 millis" })
      const token = new RegExp(`\\(SITELEDGER_AUTH_URL\\).*${sentence("auth.service.test")}`)
      await worker.status("the token endpoint is named", ({ reasons }) => token.test(reasons.join()))
      failWith("")
      await applied(worker)
      await worker.live()
      failWith(code)
      world.server.closeConnections()
      const api = new RegExp(`\\(SITELEDGER_BASE_URL\\) can't be reached: ${sentence("api.service.test")}\\.`)
      await worker.status("the API is named", ({ reasons }) => api.test(reasons.join()))
      assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }), 200)
      failWith("")
      await worker.live()
    })
  }
})

describe("a host name that belongs to no one", () => {
  it("is reported by doctor as the system says it", async () => {
    await using world = await World.open({ projects: 3 })
    const { failed } = await examined({ ...world.environment, SITELEDGER_BASE_URL: "http://nowhere.invalid/v1" })
    includes(
      failed,
      /^service: http:\/\/nowhere\.invalid\/v1 \(SITELEDGER_BASE_URL\) can't be reached: .*nowhere\.invalid/
    )
  })
})
