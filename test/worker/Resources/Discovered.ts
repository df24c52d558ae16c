/**
 * A sandbox with all of its operations, a place for a worker's data, and the review file that `siteledger discover` has written
 * for it, as a person would have it before anything is switched on.
 */
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../../sandbox/Sandbox.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { run } from "../../RunningWorker.ts"
import { placeOf } from "../SandboxWorld.ts"

const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

/** `records`: of each resource. */
export const discovered = Effect.fnUntraced(function* (records: number) {
  const sandbox = yield* Sandbox.start({ openapi: "full", projects: 3, records, eventsPerSecond: 0, plan: Infinity })
  const { authUrl, baseUrl, catalogue, options } = sandbox
  if (catalogue === undefined) return assert.fail("no catalogue")
  const place = yield* placeOf({ ...options, authUrl, baseUrl })
  const review = join(yield* folder, "resources.json")
  const asked = ["discover", `${baseUrl}/openapi.json`, "--review", review]
  const found = yield* Effect.promise(() => run(place.environment, ...asked))
  assert.strictEqual(found.code, 0, found.stderr)
  /** Of a worker that is to walk the lists that are on in the file. */
  const environmentFor = (scopes: ReadonlyArray<string>) => ({
    SITELEDGER_RESOURCES: review,
    SITELEDGER_SCOPES: [...new Set(["projects.read", "webhooks.write", ...scopes])].join(" "),
    SITELEDGER_REQUESTS_PER_MINUTE: "600000"
  })
  return { catalogue, place, review, environmentFor }
})
