/** A data directory per test, on a virtual clock, with the webhook secrets in it, over several lives of the worker. */
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as immediate } from "node:timers/promises"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Keyring } from "../../../src/Intake/Secrets/Keyring.ts"
import { Secrets } from "../../../src/Intake/Secrets.ts"
import { Seal } from "../../../src/Runtime/Seal.ts"
import { Store } from "../../../src/Stores/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"

export const start = Date.UTC(2026, 10, 20, 2)

export const dataDir = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  return yield* Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))
})

const layerIn = (path: string) =>
  Secrets.layer.pipe(
    Layer.provideMerge(Keyring.layer),
    Layer.provideMerge(Seal.layerAt(path)),
    Layer.provideMerge(Sqlite.layerAt(join(path, "store.sqlite"))),
    Layer.provideMerge(Reasons.layer)
  )

export const live = (path: string) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const services = yield* Layer.buildWithScope(layerIn(path), scope)
    return {
      secrets: Context.get(services, Secrets),
      keyring: Context.get(services, Keyring),
      reasons: Context.get(services, Reasons).wrong,
      store: Context.get(services, Store),
      stop: Scope.close(scope, Exit.void)
    }
  })

export const loseKey = (path: string) =>
  Effect.sync(() => ["key", "key.copy"].forEach((name) => rmSync(join(path, name))))

/** The files of the directory that contain this text. */
export const filesWith = (path: string, text: string): ReadonlyArray<string> =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map((entry) => entry.name)

/** Waits until there are this many reasons; returns them. */
export const reasonsOf = (
  world: { readonly reasons: Effect.Effect<ReadonlyArray<string>> },
  count: number
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.flatMap(world.reasons, (reasons) =>
    reasons.length === count
      ? Effect.succeed(reasons)
      : Effect.andThen(
          Effect.promise(() => immediate()),
          Effect.suspend(() => reasonsOf(world, count))
        )
  )
