/** On a full disk nothing is done that can't be recorded, but the store can be backed up to another disk. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { carryOut } from "../../src/Operate/Verbs.ts"
import { Store, StoreError } from "../../src/Stores/Store.ts"

it.effect("without room, a backup is made and nothing else is done", () => {
  const made: Array<string> = []
  const full = new StoreError({ reason: "Failed", message: "The disk is full." })
  const store = Layer.mock(Store, {
    transaction: () => full,
    backup: (path: string) => Effect.sync(() => void made.push(path))
  } as never)
  return Effect.gen(function* () {
    const { message } = yield* Effect.flip(carryOut("principal-revoke", { name: "ada" }, "os:root"))
    assert.strictEqual(message, "The disk is full.")
    assert.deepStrictEqual(yield* carryOut("backup", { path: "/mnt/other/store.backup" }, "os:root"), {
      path: "/mnt/other/store.backup"
    })
    assert.deepStrictEqual(made, ["/mnt/other/store.backup"])
  }).pipe(Effect.provide(store))
})
