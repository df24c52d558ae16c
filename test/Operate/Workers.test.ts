/** The workers of one database, one of which may be of version 0.1, whose row has only sentences. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import { Workers } from "../../src/Operate/Workers.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Store } from "../../src/Stores/Store.ts"
import { engines } from "../Stores/StoreEngines.ts"

const old = {
  host: "old",
  pid: 1,
  started_at: "2026-11-20T02:00:00.000000Z",
  seen_at: Instant.fromMillis(Date.now()),
  is_leader: false
}

/** As version 0.1 reads a row. */
const sentencesOf = ({ reasons }: { readonly reasons: string }) => JSON.parse(reasons) as ReadonlyArray<string>

describe.each(engines.filter(({ name }) => name === "PostgreSQL"))("workers in $name", ({ isSkipped, place }) => {
  it.live.skipIf(isSkipped)("show each other's reasons with their levels, also those of an older version", () =>
    Effect.gen(function* () {
      const { layer } = yield* place
      const body = Effect.gen(function* () {
        const store = yield* Store
        const reasons = yield* Reasons
        yield* reasons.set("open holds", "27 wait.", "notice")
        yield* reasons.set("receiver store", "No room.", "critical")
        yield* store.transaction((tx) =>
          tx
            .insertInto("workers")
            .values({ ...old, id: "old", reasons: '["No token."]', reason_details: null })
            .execute()
        )
        const workers = yield* Effect.provide(
          Effect.flatMap(Workers, ({ all }) => Effect.zip(all, store.workers.all)),
          Workers.layer,
          { local: true }
        )
        const [shown, rows] = workers
        assert.deepStrictEqual(
          shown.map(({ isThis, reasonDetails, reasons }) => [
            isThis,
            reasons,
            reasonDetails.map(({ key, level, sentence }) => [key, level, sentence])
          ]),
          [
            [false, ["No token."], [["No token.", "degraded", "No token."]]],
            [
              true,
              ["No room."],
              [
                ["receiver store", "critical", "No room."],
                ["open holds", "notice", "27 wait."]
              ]
            ]
          ]
        )
        assert.deepStrictEqual(rows.map(sentencesOf), [["No token."], ["No room."]])
      })
      yield* Effect.provide(body, Layer.merge(layer, Reasons.layer))
    }).pipe(Effect.scoped)
  )
})
