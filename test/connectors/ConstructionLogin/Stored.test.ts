/** A login on disk: how it is described, and how it is forgotten. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe as describeLogin, forget } from "../../../connectors/construction/ConstructionLogin.ts"
import { mark } from "../ConstructionAuth/AuthServer.ts"
import { loggedIn, storedLogin } from "../ConstructionAuth/Tokens.ts"
import { within } from "../ConstructionAuth/Within.ts"

describe("a stored login", () => {
  it.effect("is described without its secrets, and forgotten with its tokens revoked", () =>
    within({}, (server) =>
      Effect.gen(function* () {
        assert.match((yield* describeLogin).problem ?? "", /There is no login/)
        const { refresh } = yield* loggedIn(server)
        const { lines, problem } = yield* describeLogin
        assert.isUndefined(problem)
        const text = lines.join("\n")
        for (const part of ["desk-app", "somebody", "projects.read", "1970-01-01T01:00:00", "renewed"]) {
          assert.include(text, part)
        }
        assert.notInclude(text, mark)
        assert.match(yield* forget, /revoked/)
        assert.deepStrictEqual(server.revoked, [refresh] as Array<string>)
        assert.strictEqual((yield* storedLogin)._tag, "None")
        assert.match(yield* forget, /There was no login/)
      })
    )
  )

  it.effect("is forgotten even if the service revokes nothing, with a message", () =>
    within({}, (server) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        server.settings.refusesRevocation = true
        assert.match(yield* forget, /could not be revoked/)
        assert.strictEqual((yield* storedLogin)._tag, "None")
      })
    )
  )
})
