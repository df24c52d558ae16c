/** The manifest says whether any record that isn't deleted has a value in a learned column. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { absence } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import * as LearnedColumns from "../../src/Stores/LearnedColumns.ts"
import { Store } from "../../src/Stores/Store.ts"
import { inWorld, ipc, now, on, readExport, run, write } from "./ExportWorld.ts"

const learned = (name: string): LearnedColumns.LearnedColumn => ({
  resource: "ipcs",
  name,
  field: name,
  type: "VARCHAR",
  beside: null,
  learned_at: "2026-11-20T02:00:00.000000Z"
})

describe("a manifest", () => {
  it.effect("says which columns of that kind are empty", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const store = yield* Store
        // The last one came after the snapshot.
        const columns = ["certificate_url", "submitter", "certified_amount", "not_there_yet"].map(learned)
        yield* store.transaction((tx) => LearnedColumns.add(tx, columns))
        const gone = { ...ipc("IPC-2", "2.0000"), values: { submitter: "ann" } }
        const buried = absence(
          "ipcs",
          "IPC-2",
          Version.make(now * 1000 + 1_000_000, 9, ""),
          "2026-11-20T01:30:00.000000Z"
        )
        yield* write([on("2026-11-18")], [ipc("IPC-1", "1.0000"), gone, buried])
        yield* run
        const empty = () =>
          (readExport(world).tables["ipcs"]?.columns ?? []).flatMap((column) =>
            column.empty === true ? [column.name] : []
          )
        assert.deepStrictEqual(empty(), ["submitter", "certificate_url"])
        const before = readExport(world).run
        yield* TestClock.adjust("1 day")
        yield* run
        assert.notStrictEqual(readExport(world).run, before)
        assert.deepStrictEqual(empty(), ["submitter", "certificate_url"], "by the file that it keeps")
      })
    )
  )
})
