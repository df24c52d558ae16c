/**
 * The move to another version of the API, with the files that docs/wire.md shows: the same store, lists and deliveries in
 * other shapes, and an event that comes in both shapes counts once.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { removeFolder } from "../Folders.ts"
import { endOf, placeOf, startedOn, truthOf } from "./SandboxWorld.ts"
import { saw } from "../Logged.ts"

const doc = readFileSync(join(import.meta.dirname, "../../docs/wire.md"), "utf8")

const fileOf = (name: string): string => {
  const text = new RegExp(`^ *\`${name}\`\\n+ *\`\`\`json\\n(.*?)\`\`\``, "ms").exec(doc)?.[1]
  if (text === undefined) throw new Error(`docs/wire.md shows no ${name}`)
  return text
}

const files = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "siteledger-wire-"))
    for (const name of ["envelope.json", "aliases.json"]) writeFileSync(join(folder, name), fileOf(name))
    return folder
  }),
  (folder) => Effect.sync(() => removeFolder(folder))
)

describe("a worker that moves to /v2", () => {
  it.live("keeps its store, reads both versions, and posts each payment once", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.start({ v2: true, projects: 60, eventsPerSecond: 0, plan: Infinity })
      const { authUrl, baseUrl, options } = sandbox
      const place = yield* placeOf({ ...options, authUrl, baseUrl })
      const scopes = { SITELEDGER_SCOPES: "projects.read webhooks.write", SITELEDGER_WALK_EVERY: "300 millis" }
      /** What was certified for each paid IPC. */
      const paid = (): Readonly<Record<string, number>> =>
        Object.fromEntries(
          [...sandbox.truth().entities]
            .filter(({ entity, fields }) => entity === "ipcs" && "payment_reference" in fields)
            .map(({ fields, id }) => [id, Number(fields["certified_amount"])])
        )

      const old = yield* startedOn(place, scopes)
      yield* Effect.promise(() => old.live())
      yield* sandbox.emit(600)
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      yield* Effect.promise(() => old.stop())
      const before = Object.keys(paid()).length
      assert.isAbove(before, 5)

      const folder = yield* files
      const url = new URL(place.environment["SITELEDGER_WEBHOOK_URL"] ?? "")
      const moved = yield* startedOn(place, {
        ...scopes,
        SITELEDGER_BASE_URL: baseUrl.replace(/\/v1$/, "/v2"),
        SITELEDGER_WEBHOOK_URL: new URL("/hooks/v2", url).href,
        SITELEDGER_ENVELOPE: join(folder, "envelope.json"),
        SITELEDGER_FIELD_ALIASES: join(folder, "aliases.json")
      })
      yield* Effect.promise(() =>
        moved.status("the new subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
      )
      assert.strictEqual(sandbox.subscriptions().length, 2)
      assert.match(String(saw(moved.stderr, "service.moved")["service"]), /\/v2$/)
      yield* sandbox.emit(600)
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      assert.isAbove(Object.keys(paid()).length, before)

      const truth = truthOf(sandbox.truth())
      assert.deepStrictEqual(yield* endOf({ place, worker: moved }, Object.keys(truth)), truth)
      const read = (sql: string) => Effect.promise(() => place.query(sql))
      assert.deepStrictEqual(yield* Effect.promise(() => place.store("select * from quarantine")), [])
      const posted = yield* read(
        "select ipc_id, sum(amount)::varchar as amount from construction.ledger_entries group by 1"
      )
      assert.deepStrictEqual(
        Object.fromEntries(posted.map(({ amount, ipc_id: id }) => [String(id), Number(amount)])),
        paid()
      )
    })
  )
})
