/**
 * Records that are cut out of a page's text say exactly what the parsed page says, and no page is accepted that isn't
 * JSON.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import { readPage } from "../../connectors/construction/ConstructionPages.ts"
import { projectsShape } from "../../connectors/construction/ConstructionShapes.ts"
import { Body } from "../../connectors/construction/ConstructionText.ts"
import { Forms } from "../../connectors/construction/ConstructionRecords.ts"
import type { Change } from "../../src/Domain/Change.ts"
import { Listed } from "../../src/Domain/Listed.ts"
import { merge } from "../../src/Domain/Merge.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import { seed } from "../Long.ts"
import { type Random, seeded } from "../Seeded.ts"

const projects = Resource.byName("projects")
const aliases = { name: ["title", "details.title"], status: ["type"] }

/** JSON texts of values, hard ones among them. */
const values = [
  '""',
  '"a"',
  '"Gdańsk 😀"',
  '"a\\"b"',
  '"\\u00e9\\/"',
  '"\\ud800"',
  '"N\\u0000"',
  '"]},{"',
  '"1,\\n2"',
  '"__proto__"',
  "0",
  "-0",
  "7",
  "1.50",
  "1e3",
  "12345678901234567890.10",
  "-0.25",
  "true",
  "false",
  "null",
  "{}",
  "[]",
  '{"b": 1.0, "a" : "x"}',
  '{"2":1,"1":2}',
  "[1 , 2.00]",
  '{"title":"T","x":{"y":[]}}',
  '{"a":1,"a":2}'
]
const plainValues = [
  '""',
  '"Gdańsk 😀"',
  '"]},{"',
  "7",
  "1.50",
  "-0",
  "null",
  "true",
  '{"b": 1.0, "a" : "x"}',
  "[1 , 2.00]"
]
const broken = [
  "01",
  "1.",
  ".5",
  "+1",
  "tru",
  "nul",
  "'a'",
  '"a\nb"',
  '"a\tb"',
  "{a:1}",
  "[1,]",
  '{"a":1,}',
  "undefined",
  "NaN"
]
const names = ["code", "city", "name", "status", "a.b", "x]", "amount", "("]
/** With these, each record is looked at. */
const hardNames = ["title", "type", "details", "__proto__", "7"]
const ids = ["7", '"8"', "9007199254740993", "-3", "0", "1.0", '"007"', "null", '"x"', "12"]

const record = (random: Random, fields: ReadonlyArray<string>, [comma, colon]: readonly [string, string]): string => {
  const kept = random.chance(0.2) ? fields.filter(() => random.chance(0.7)) : fields
  const id = random.chance(0.2) ? random.pick(ids) : String(1 + random.below(99))
  const texts = kept.map(
    (name) => `${JSON.stringify(name)}${colon}${random.pick(random.chance(0.97) ? plainValues : values)}`
  )
  const place = random.chance(0.9) ? 0 : random.below(texts.length + 1)
  return `{${texts.toSpliced(place, 0, `"id"${colon}${id}`).join(comma)}}`
}

const pageOf = (random: Random): string => {
  const style = random.pick([[",", ":"] as const, [", ", ": "] as const, [" ,\n\t", " :\r\n"] as const])
  const fields = [...names.filter(() => random.chance(0.7)), ...hardNames.filter(() => random.chance(0.1))]
  const records = Array.from({ length: random.below(30) }, () => record(random, fields, style))
  if (random.chance(0.05)) records.push(random.pick(["7", '"data"', "null", "[]"]))
  const list = `"data"${style[1]}[${records.join(style[0])}]`
  const counts = `"pagination":{"total":${records.length},"page":1,"per_page":30}`
  const others = random.pick([
    "",
    ',"note":"\\"data\\":[{}]"',
    ',"meta":{"data":[1]}',
    ',"data2":[{"id":1}]',
    `,${list}`
  ])
  return `{${random.pick([`${list},${counts}${others}`, `${counts},${list}${others}`, `"a":1${others},${list},${counts}`])}}`
}

/** As it may arrive: in parts of any length, which also end within a character. */
const body = (random: Random, text: string): Body => {
  const bytes = Buffer.from(text)
  const parts: Array<Uint8Array> = []
  for (let at = 0; at < bytes.byteLength;) {
    const to = at + 1 + random.below(random.pick([5, 300, 5000]))
    parts.push(bytes.subarray(at, to))
    at = to
  }
  return new Body(parts)
}

const outcome = (text: string, cutting?: { readonly body: Body; readonly forms: Forms }) => {
  const answer = {
    ...(cutting && { body: cutting.body }),
    text,
    startedMs: 1_795_190_324_983,
    endedMs: 1_795_190_325_983,
    serviceMs: undefined
  }
  const shape = projectsShape(aliases)
  const page = Effect.runSync(Effect.result(readPage(answer, shape, cutting)))
  return Result.isSuccess(page) ? changesOf(page.success, shape) : page.failure.message
}

const said = (page: ReturnType<typeof outcome>) => {
  if (typeof page === "string") return page
  const changes = page.changes.map((change) => ({
    change: plain(change),
    extra: { ...change.extra },
    row: merge(projects, undefined, [plain(change)])
  }))
  return { ...page, changes }
}

describe("a page whose records are cut out of its text", () => {
  it(`says the same as the parsed page (seed ${seed})`, () => {
    const random = seeded(seed)
    const forms = new Forms()
    let listed = 0
    for (let run = 0; run < 800; run++) {
      const whole = pageOf(random)
      const at = random.below(whole.length)
      const text = random.pick([
        whole,
        whole,
        whole.slice(0, at),
        whole.slice(0, at) + random.pick([...broken, ",", "]", "}", '"', "\\"]) + whole.slice(at),
        whole.replace(random.pick(values), () => random.pick(broken))
      ])
      const arrived = body(random, text)
      assert.strictEqual(arrived.text, text.toWellFormed())
      const cut = outcome(arrived.text, { body: arrived, forms })
      assert.deepStrictEqual(said(cut), said(outcome(arrived.text)), text)
      if (typeof cut === "string") continue
      for (const change of cut.changes) {
        if (!(change instanceof Listed)) continue
        listed++
        const row = merge(projects, undefined, [plain(change)])
        for (const column of Resource.tableColumns(projects)) {
          assert.strictEqual(change.textOf(column.name), row?.[column.name] ?? null, column.name)
        }
      }
    }
    assert.isAbove(listed, 1000)
  })
})

/** Not as pieces. */
const plain = ({ entity, extra, id, misfits, seenAt, source, values, version }: Change): Change => ({
  entity,
  extra,
  id,
  misfits,
  seenAt,
  source,
  values,
  version
})
