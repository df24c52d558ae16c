/**
 * A whole login against the sandbox: the verb prints an address, a person fills in the form there, and a worker that
 * knows no client secret walks, refreshes and rotates, until the login is forgotten.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../../sandbox/Sandbox.ts"
import { decide } from "../../sandbox/OAuth/Person.ts"
import { type Environment, run, RunningWorker, until } from "../../RunningWorker.ts"
import { placeOf } from "../SandboxWorld.ts"
import { logIn } from "./LoggedIn.ts"

const sandboxed = Effect.gen(function* () {
  const { authUrl, baseUrl, options } = yield* Sandbox.start({ projects: 130, pageSizeMax: 25, tokenSeconds: 3 })
  const service = { authUrl, baseUrl, clientId: `${options.clientId}-app`, clientSecret: "" }
  const place = yield* placeOf(service)
  const environment: Environment = {
    ...place.environment,
    SITELEDGER_SCOPES: "projects.read webhooks.write",
    SITELEDGER_WALK_EVERY: "1 second",
    SITELEDGER_REQUESTS_PER_MINUTE: "600"
  }
  return { environment, dataDir: place.dataDir }
})

/** The file differs each time it is written. */
const rotations = (folder: string, times: number) => {
  const seen = new Set<string>()
  return until("the login is refreshed", async () =>
    seen.add(readFileSync(join(folder, "login"), "utf8")).size > times ? true : undefined
  )
}

describe("against the sandbox", () => {
  it.live("a person logs in, the worker walks and refreshes, and the login can be forgotten", () =>
    Effect.gen(function* () {
      const { dataDir, environment } = yield* sandboxed
      const workers: Array<RunningWorker> = []
      yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(workers.map((one) => one.stop("SIGKILL")))))
      yield* Effect.promise(async () => {
        const denied = await logIn(environment, decide("deny"))
        assert.strictEqual(denied.code, 1, denied.stderr)
        assert.include(denied.stderr, "Access was denied")
        const allowed = await logIn(environment, decide("allow"))
        assert.strictEqual(allowed.code, 0, allowed.stderr)
        assert.include(allowed.stderr, "Logged in, for projects.read webhooks.write.")
        const worker = RunningWorker.start(environment)
        workers.push(worker)
        const { backfill } = await worker.live()
        assert.isAtLeast(backfill["projects"]?.rows ?? 0, 130)
        await rotations(dataDir, 2)
        await worker.live()
        const { stdout } = await run(environment, "login", "--status")
        for (const text of ["sandbox-app", "projects.read webhooks.write", "renewed"]) assert.include(stdout, text)
        assert.match((await run(environment, "login", "--forget")).stdout, /revoked/)
        await worker.status("the reason is shown", ({ reasons }) =>
          /neither a login nor a client secret/.test(reasons.join())
        )
        assert.strictEqual((await worker.stop()).code, 0)
      })
    }).pipe(Effect.scoped)
  )
})
