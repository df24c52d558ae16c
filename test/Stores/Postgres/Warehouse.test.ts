/** Data that PostgreSQL can't hold doesn't block what comes after it. */
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Change } from "../../../src/Domain/Change.ts"
import type { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { engines } from "../WarehouseEngines.ts"
import { certified } from "../Written.ts"

const layer = (engines[1] ?? assert.fail("There is only one engine")).layer

const test = <E>(fact: string, body: Effect.Effect<void, E, Warehouse | Store>) =>
  it.live(fact, () => Effect.scoped(Effect.provide(body, layer, { local: true })))

const sent = (recipients: string): Change => ({
  ...certified("T", 1, "1.0000"),
  entity: "transmittals",
  values: { recipients }
})

describe.skipIf(Databases.skipped !== undefined)("a warehouse in PostgreSQL", () => {
  test(
    "refuses data that can never be stored, and nothing else",
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const long = randomBytes(9_000).toString("base64")
      for (const bad of [
        certified(long, 1, "1.0000"),
        certified("A", 1, `1${"0".repeat(24)}.0000`),
        certified("nul\u0000", 1, "1.0000"),
        sent(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)
      ]) {
        const error = yield* Effect.flip(warehouse.write({ changes: [bad], events: [] }))
        assert.strictEqual(error.reason, "Refused")
      }
      yield* warehouse.write({ changes: [certified("A", 1, "1.0000")], events: [] })
    })
  )
})
