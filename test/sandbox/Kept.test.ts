/** What a state file keeps of the service itself: its identity, its options and its OAuth clients. */
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { logged } from "../Logged.ts"
import { calm, killedAfter, temporaryStatePath } from "./Outliving.ts"

describe("A sandbox with a state file", () => {
  it.effect("keeps its identity, its options and its OAuth clients, though they aren't given again", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      const first = {
        seed: 7,
        projects: 33,
        ipcs: 5,
        clientId: "mine",
        clientSecret: "hush",
        redirectUris: ["app://x"]
      }
      const lives = [{ ...first, statePath }, { statePath }, { statePath, projects: undefined }]
      const known = yield* Effect.forEach(lives, (options) =>
        killedAfter(options, ({ events, options: { clientId, clientSecret, ipcs, projects, redirectUris, seed } }) =>
          Effect.succeed({ id: events.id(9), clientId, clientSecret, ipcs, projects, redirectUris, seed })
        )
      )
      assert.deepInclude(known[0], first)
      assert.deepStrictEqual(known[1], known[0])
      assert.deepStrictEqual(known[2], known[0])
      assert.strictEqual(JSON.parse(readFileSync(statePath, "utf8")).steps, 0)
    })
  )

  it.effect("starts with a file of a version that had no identity, and gives it one", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      yield* killedAfter({ statePath }, (sandbox) => sandbox.emit(5))
      const { anchors, options, seed, startAtMillis, steps, subscriptions, version } = JSON.parse(
        readFileSync(statePath, "utf8")
      )
      writeFileSync(statePath, JSON.stringify({ anchors, options, seed, startAtMillis, steps, subscriptions, version }))
      const id = ({ events, truth }: Sandbox) => Effect.sync(() => `${truth().steps} ${events.id(0)}`)
      const { lines, result } = yield* logged(killedAfter({ statePath }, id))
      assert.deepStrictEqual(lines, [])
      assert.match(result, /^5 /)
      assert.strictEqual(yield* killedAfter({ statePath }, id), result)
    })
  )

  it.effect("fails to start where the file can't be written, and says so", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Sandbox.start({ ...calm, statePath: "/dev/null/state.json" }))
      assert.match(error.message ?? "", /^The sandbox can't save its state in \/dev\/null\/state\.json: ./)
    })
  )
})
