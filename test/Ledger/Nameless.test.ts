/** A user without a name (in a container, only a number) can use every verb and is recorded as unknown. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../src/Stores/Store.ts"
import { run } from "../RunningWorker.ts"
import { unsending } from "./Outbox/SinkWorld.ts"
import { folder, hear, holds, paid } from "./Started.ts"

/** What Node does if the system knows no user of this number. */
const nameless = `import os from "node:os"; import { syncBuiltinESMExports } from "node:module"
os.userInfo = () => { throw new Error("ENOENT: uv_os_get_passwd") }; syncBuiltinESMExports()`

const verb = (path: string, ...words: ReadonlyArray<string>) => {
  const options = `--import=data:text/javascript,${encodeURIComponent(nameless)}`
  const [first = "", ...rest] = words
  return Effect.promise(() => run({ SITELEDGER_DATA_DIR: path, NODE_OPTIONS: options }, first, ...rest))
}

const decisions = Effect.flatMap(Store, (store) =>
  store.run((db) => db.selectFrom("ledger_hold_decisions").select("decided_by").orderBy("number").execute())
)

it.live("a user without a name can use every verb, and decides as unknown or under the name that they give", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const open = yield* unsending(path, Effect.andThen(hear([paid("A", 5, 11), paid("B", 6, 12)]), holds))
    const [first = "", second = ""] = open.map(({ hold_id }) => hold_id)
    const version = yield* verb(path, "--version")
    assert.strictEqual(version.code, 0, version.stderr)
    const accept = ["--amount", "10", "--reason", "bank statement"]
    for (const decision of [
      [first, ...accept],
      [second, ...accept, "--by", "Ada"]
    ]) {
      const accepted = yield* verb(path, "ledger", "accept", ...decision)
      assert.strictEqual(accepted.code, 0, accepted.stderr)
    }
    const decided = yield* unsending(path, decisions)
    assert.deepStrictEqual(
      decided.map(({ decided_by }) => decided_by),
      ["unknown", "Ada"]
    )
  }).pipe(Effect.scoped)
)
