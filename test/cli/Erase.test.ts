/** What `siteledger erase` accepts as a value or a record, and its sentence about anything else. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { asked, type Flags } from "../../cli/erase/Asked.ts"
import { column, listOf } from "../connectors/ReviewedLists.ts"

const lists = [
  listOf({ key: ["region", "number"], columns: [column("region"), column("number", "BIGINT")] }),
  listOf({ table: "sites", columns: [column("id", "BIGINT")] }),
  listOf({ table: "people", columns: [column("id", "BIGINT", { use: "hash" })] })
]

const nothing: Flags = { value: Option.none(), field: Option.none(), within: false, table: Option.none(), id: [] }

const ask = (flags: Partial<Flags>) => Effect.provide(asked({ ...nothing, ...flags }, lists), NodeServices.layer)
const record = (table: string, ...id: ReadonlyArray<string>) => ({ table: Option.some(table), id })

describe("what is asked to be erased", () => {
  const taken: ReadonlyArray<readonly [Partial<Flags>, object]> = [
    [
      { value: Option.some("Ada"), within: true },
      { value: "Ada", field: null, isWithin: true }
    ],
    [record("ipcs", "IPC/1"), { table: "ipcs", id: "IPC/1" }],
    [record("projects", "007"), { table: "projects", id: "7" }],
    [record("sites", "7"), { table: "sites", id: "7" }],
    [record("people", "5e884898da"), { table: "people", id: "5e884898da" }],
    [record("things", "a/b%", "007"), { table: "things", id: "a%2Fb%25/007" }]
  ]
  for (const [flags, expected] of taken) {
    it.effect(`is ${JSON.stringify(expected)}`, () =>
      Effect.map(ask(flags), (found) => assert.deepStrictEqual<object>(found, expected))
    )
  }

  const value = { value: Option.some("Ada") }
  const one = record("ipcs", "1")
  const refused: ReadonlyArray<readonly [Partial<Flags>, RegExp]> = [
    [{}, /^Say what to erase: --value TEXT .*, or a record: --table TABLE and --id ID\.$/],
    [{ ...value, ...one }, /^Give either a value, with --value, or a record/],
    [{ value: Option.some("Al") }, /at least 3 characters/],
    [{ id: ["1"] }, /^Say of which table the record is/],
    [record("ipcs"), /^Say which record of ipcs: --id ID, once\.$/],
    [record("ipcs", "1", "2"), /--id ID, once\.$/],
    [record("ipcs", ""), /^An id of ipcs is a text that isn't empty\.$/],
    [record("projects", "x"), /^An id of projects is a whole number\.$/],
    [record("things", "a"), /^A record of things is named by 2 columns: .* in this order: region, number\.$/],
    [
      record("events", "1"),
      /^There is no table events with records .*: there are hse_incidents, .*, things, transmittals, vos\.$/
    ],
    [{ ...one, within: true }, /^--field and --within are for values/],
    [{ ...one, field: Option.some("by") }, /^--field and --within are for values/]
  ]
  for (const [flags, words] of refused) {
    it.effect(`isn't clear: ${words.source}`, () =>
      Effect.map(Effect.flip(ask(flags)), (error) =>
        assert.match("cause" in error ? String(error.cause) : error.message, words)
      )
    )
  }
})
