/**
 * What `construction_jsonb` makes of values that `json` allows and `jsonb` refuses: a repaired value, and never an
 * error. Any other value is as `jsonb` has it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { schema } from "../../../src/Stores/Postgres/JsonbViews.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { type Random, seeded } from "../../Seeded.ts"
import { certified } from "../Written.ts"
import { ask, database, storesAt } from "./World.ts"

const started = (url: string) =>
  Effect.scoped(
    Effect.provide(
      Effect.flatMap(Warehouse, ({ write }) => write({ changes: [certified("I1", 1, "10.0000")], events: [] })),
      Layer.fresh(storesAt(url))
    )
  )

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const cast = (own: Databases.Database, text: string) =>
  Effect.promise(async () => {
    const [row] = await own.query(`select ${schema}.as_jsonb(${literal(text)}::json)::text as value`)
    return row?.["value"]
  })

const parts = [
  String.raw`\u0000`,
  String.raw`\ud83d`,
  String.raw`\ude00`,
  String.raw`\uDBff`,
  String.raw`\udc00`,
  String.raw`\\`,
  String.raw`\\u0000`,
  String.raw`\"`,
  String.raw`\u00e9`,
  "{",
  "e9999",
  "-1",
  "é",
  "]"
]

const valueOf = (random: Random, depth: number): string => {
  const { below, pick } = random
  const text = `"${Array.from({ length: below(8) }, () => pick(parts)).join("")}"`
  const number = pick(["-", ""]) + pick(["0", "12", "0.5", "9".repeat(300)]) + pick(["", "e5", "E+99999", "e-40000"])
  if (depth === 0) return pick([text, number, "null", "true"])
  const all = Array.from({ length: below(4) }, () => valueOf(random, depth - 1))
  const fields = all.map((each, index) => `"${index}${text.slice(1)} : ${each}`)
  return pick([`[${all.join(pick([",", " ,\n"]))}]`, `{${fields.join(",")}}`])
}

describe.skipIf(Databases.skipped !== undefined)("what construction_jsonb makes of a value", () => {
  it.live("replaces what jsonb refuses, and nothing else", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* started(own.url)
      const slash = "\\"
      for (const [text, value] of [
        [`{"a":"x${slash}u0000y","b":1}`, { a: "x\ufffdy", b: 1 }],
        [`{"${slash}u0000":["${slash}u0000${slash}u0000"]}`, { "\ufffd": ["\ufffd\ufffd"] }],
        // A backslash, and letters after it.
        [`["${slash}${slash}u0000","${slash}${slash}${slash}u0000"]`, ["\\u0000", "\\\ufffd"]],
        [`["${slash}ud83d","${slash}ude00","${slash}ud83dx"]`, ["\ufffd", "\ufffd", "\ufffdx"]],
        [`["${slash}ud83d${slash}uDE00","${slash}ud83d${slash}ud83d${slash}ude00"]`, ["😀", "\ufffd😀"]],
        [`["${slash}${slash}ud83d${slash}ude00"]`, ["\\ud83d\ufffd"]],
        ['{"n":1e400000,"m":-1E-20000,"k":1e5}', { n: "1e400000", m: "-1E-20000", k: 100_000 }],
        [`["1e400000, ${slash}"9e9999${slash}"",7]`, ['1e400000, "9e9999"', 7]],
        [`[${"9".repeat(140_000)}]`, ["9".repeat(140_000)]]
      ] as const) {
        assert.deepStrictEqual(JSON.parse(String(yield* cast(own, text))), value, text.slice(0, 100))
      }
      const deep = "[".repeat(500) + "]".repeat(500)
      assert.strictEqual((yield* cast(own, deep))?.replaceAll(" ", ""), deep)
      // One such row, and its view is read.
      yield* ask(own, `update construction.ipcs set _extra = '{"a":"${slash}u0000","n":1e999999,"note":"x"}'`)
      const [row] = yield* ask(own, `select distinct _extra from ${schema}.ipcs where _extra @> '{"note":"x"}'`)
      assert.deepStrictEqual(JSON.parse(String(row?.["_extra"])), { a: "\ufffd", n: "1e999999", note: "x" })
      assert.deepStrictEqual(yield* ask(own, `select ${schema}.as_jsonb(null) is null as is_null`), [{ is_null: "t" }])
    }).pipe(Effect.scoped)
  )

  it.live("is one for every value, and the same where jsonb takes it", () =>
    Effect.gen(function* () {
      const seed = Number(process.env["SEED"] ?? 1)
      const random = seeded(seed)
      const values = Array.from({ length: 2_000 }, () => valueOf(random, 3))
      const own = yield* database
      yield* started(own.url)
      yield* ask(
        own,
        `create table public.held (value json);
         create function public.tried(json) returns jsonb language plpgsql as
           'begin return $1::jsonb; exception when others then return null; end';
         insert into public.held values ${values.map((each) => `(${literal(each)})`).join(",")}`
      )
      const [counted] = yield* ask(
        own,
        `select count(as_jsonb) as all, count(*) filter (where tried is null) as refused,
           count(*) filter (where tried <> as_jsonb and not value::text ~ '[eE][+-]?[0-9]{4}|[0-9]{255}') as changed
         from (select value, ${schema}.as_jsonb(value) as as_jsonb, public.tried(value) as tried from public.held) as held`
      )
      assert.deepInclude(counted, { all: "2000", changed: "0" }, `seed ${seed}`)
      assert.isAbove(Number(counted?.["refused"]), 100)
    }).pipe(Effect.scoped)
  )
})
