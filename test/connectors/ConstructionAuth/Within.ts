/** One authorization server and one data directory for a test, removed when it ends. */
import { Effect, type Scope } from "effect"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { AuthServer } from "./AuthServer.ts"
import type { AuthSettings } from "./AuthSettings.ts"
import { environment, type Parts, tokens } from "./Tokens.ts"

export const authServer = (given: Partial<AuthSettings> = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => AuthServer.start(given)),
    (server) => Effect.promise(() => server[Symbol.asyncDispose]())
  )

export const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) =>
  Effect.sync(() => removeFolder(path))
)

export const within = <A, E>(
  given: Partial<AuthSettings>,
  body: (server: AuthServer, dataDir: string) => Effect.Effect<A, E, Parts | Scope.Scope>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* authServer(given)
      const dataDir = yield* folder
      return yield* Effect.provide(body(server, dataDir), tokens(environment(server, dataDir)))
    })
  )
