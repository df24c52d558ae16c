/** One record by its id: where it is requested, where the answer has it, and what isn't accepted as the record. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type AskOne, detailOf } from "../../connectors/construction/ConstructionDetail.ts"
import type { List } from "../../src/Discovery/Review.ts"
import { SourceError } from "../../src/Walk/Source.ts"
import { column, listOf } from "./ReviewedLists.ts"

const ipcs = listOf({
  read: "GET /ipcs",
  table: "ipcs",
  detail: "GET /ipcs/{ipc_id}",
  lookUp: { on: true },
  headers: { "X-Tenant": "7" },
  columns: [
    column("id", "VARCHAR", { from: "/ipc_id" }),
    column("certified_amount", "DECIMAL(28,4)"),
    column("listed_status", "VARCHAR", { from: "/status" }),
    column("note", "VARCHAR", { use: "drop" })
  ]
})

const asking = (list: List, text: string) => {
  const asked: Array<string> = []
  const ask: AskOne = (lane, { headers, path, query }, read) =>
    Effect.suspend(() => {
      asked.push(`${lane} ${path} ${JSON.stringify({ ...query, ...headers })}`)
      return Effect.mapError(
        read({ text, startedMs: 1.8e12, endedMs: 1.8e12 + 50, serviceMs: undefined }),
        ({ message }) => new SourceError({ reason: "Refused", message })
      )
    })
  return { asked, fetch: (id: string) => detailOf(list, ask, (value) => value).fetch(id, "lookup") }
}

const record =
  '{"ipc_id": "IPC/1", "certified_amount": 12345678901234567890.5, "status": "paid", "note": "x", "more": 1.50}'

describe("a single record", () => {
  it.effect("is asked for by its id, and is what its list would show", () =>
    Effect.gen(function* () {
      const { asked, fetch } = asking(ipcs, record)
      const { change, path, receivedAt, sha256, text } = yield* fetch("IPC/1")
      assert.deepStrictEqual(asked, ['lookup /ipcs/IPC%2F1 {"X-Tenant":"7"}'])
      assert.deepInclude(change, { entity: "ipcs", id: "IPC/1", source: "page" })
      assert.deepStrictEqual(change?.values, {
        certified_amount: "12345678901234567890.5000",
        listed_status: "paid"
      })
      assert.deepStrictEqual({ ...change?.extra }, { more: "1.50" })
      assert.deepStrictEqual([path, text, receivedAt], ["/ipcs/IPC%2F1", record, "2027-01-15T08:00:00.050000Z"])
      assert.strictEqual(sha256, createHash("sha256").update(record).digest("hex"))
    })
  )

  it.effect("is found where the review file says", () =>
    Effect.gen(function* () {
      const inside = { ...ipcs, lookUp: { on: true, record: "/data" } }
      assert.strictEqual((yield* asking(inside, `{"data": ${record}}`).fetch("IPC/1")).change?.id, "IPC/1")
      assert.isUndefined((yield* asking(inside, record).fetch("IPC/1")).change)
      assert.isUndefined((yield* asking(ipcs, `{"data": ${record}}`).fetch("IPC/1")).change)
    })
  )

  it.effect("with another id isn't it", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* asking(ipcs, record).fetch("IPC/2")).change)
    })
  )

  it.effect("leaves what a parent's list says of its parent alone", () =>
    Effect.gen(function* () {
      const columns = [...ipcs.columns, column("project_id", "BIGINT", { parameter: "project" })]
      const { change } = yield* asking({ ...ipcs, columns }, record).fetch("IPC/1")
      assert.notProperty(change?.values, "project_id")
    })
  )

  it.effect("isn't asked for by an id that would lead elsewhere", () =>
    Effect.gen(function* () {
      const { asked, fetch } = asking(ipcs, record)
      for (const id of ["", ".", ".."]) assert.isTrue((yield* Effect.flip(fetch(id))).isAbsent)
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("that isn't JSON is asked for again", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(asking(ipcs, "<html>").fetch("IPC/1"))
      assert.match(message, /^GET \/ipcs\/IPC%2F1 answered with HTML/)
    })
  )
})
