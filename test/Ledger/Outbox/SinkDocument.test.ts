/**
 * docs/accounting-sink.md agrees with the schema of what is sent: its table of fields, JSON Schema and example are
 * generated here, and its code is run. After a change: UPDATE_DOCS=1 npx vitest run test/Ledger/Outbox/SinkDocument.test.ts
 */
import { createHmac } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { JsonSchema, Schema } from "effect"
import type { Fact, Terms } from "../../../src/Ledger/Fact.ts"
import { fold } from "../../../src/Ledger/Fold.ts"
import { empty } from "../../../src/Ledger/Fold/Known.ts"
import * as SinkEntry from "../../../src/Ledger/Outbox/SinkEntry.ts"
import { entryRow } from "../../../src/Ledger/Rows.ts"
import { accrued, entryNumber } from "../../connectors/Entries.ts"
import { contractor } from "../Contractor.ts"

const path = join(import.meta.dirname, "../../../docs/accounting-sink.md")
const secret = "change-me-please"

const terms: Terms = { ...contractor, currency: "EUR" }
const common = { ipcId: "IPC-0042", eventId: "0d5c6ef0-3a53-4f1e-9f3c-2f6f0d6b7a11" }
const url = "https://service.example.com/certificates/42"
const facts: ReadonlyArray<Fact> = [
  { ...common, kind: "project", number: 5, knownAt: "2026-11-02T08:00:00.500000Z", projectId: "7" },
  {
    ...common,
    kind: "certificate",
    number: 6,
    knownAt: "2026-11-12T10:30:01.000000Z",
    at: "2026-11-12T10:30:00.000000Z",
    units: 12_500_000_000n,
    url
  },
  {
    ...common,
    kind: "payment",
    number: 7,
    knownAt: "2026-11-19T14:03:01.250000Z",
    at: "2026-11-19T14:03:00.000000Z",
    reference: "PAY-2026-0042"
  }
]

/** As the ledger posts it. */
const entry = ((): SinkEntry.SinkEntry => {
  const books = facts.reduce((before, fact) => fold(before, fact, terms).books, empty(common.ipcId))
  const [posted] = books.entries
  const [, , fact] = facts
  assert.isDefined(posted)
  assert.isDefined(fact)
  return SinkEntry.of({ ...entryRow(posted, 42, fact, { epoch: 1, queued: "draft" }), chain: null }, "draft")
})()

/** What differs in an entry with more than two lines. */
const accrual = (() => {
  const { amount, kind, lines } = SinkEntry.of(entryNumber(43, accrued).entry, "draft")
  return { kind, amount, lines }
})()

interface Property {
  readonly description?: string
  readonly type?: string
  readonly anyOf?: ReadonlyArray<Property>
  readonly items?: { readonly properties: Readonly<Record<string, Property>> }
}

const { definitions, schema } = Schema.toJsonSchemaDocument(SinkEntry.SinkEntry)
assert.deepStrictEqual(definitions, {})
const properties = schema["properties"] as Readonly<Record<string, Property>>

const typeOf = ({ anyOf, type }: Property): string =>
  anyOf === undefined ? (type ?? "") : anyOf.map(typeOf).join(" or ")

const row = (name: string, property: Property): string =>
  `| \`${name}\` | ${typeOf(property)} | ${property.description ?? ""} |`

const fields = [
  "| field | type | meaning |",
  "|---|---|---|",
  ...Object.entries(properties).flatMap(([name, property]) => [
    row(name, property),
    ...Object.entries(property.items?.properties ?? {}).map(([inner, of]) => row(`${name}[].${inner}`, of))
  ])
].join("\n")

const block = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

const made: Readonly<Record<string, string>> = {
  fields,
  example: block(entry),
  accrual: block(accrual),
  schema: block({ $schema: JsonSchema.META_SCHEMA_URI_DRAFT_2020_12, ...schema })
}

const between = (name: string) => new RegExp(`(<!-- ${name} -->\n)([^]*?)(\n?<!-- /${name} -->)`)
const signature = createHmac("sha256", secret).update(JSON.stringify(entry)).digest("hex")
const signed = /(is `)[0-9a-f]{64}(`\.\n)/

if (process.env["UPDATE_DOCS"] !== undefined) {
  let text = readFileSync(path, "utf8").replace(signed, `$1${signature}$2`)
  for (const [name, part] of Object.entries(made))
    text = text.replace(between(name), () => `<!-- ${name} -->\n${part}\n<!-- /${name} -->`)
  writeFileSync(path, text)
}

const text = readFileSync(path, "utf8")

describe("the document of the accounting sink", () => {
  it.each(Object.keys(made))("has the same %s as the code", (name) => {
    assert.strictEqual(between(name).exec(text)?.[2], made[name])
  })

  it("gives the meaning of every field", () => {
    for (const line of fields.split("\n").slice(2)) assert.match(line, /^\| `[\w[\].]+` \| [\w ]+ \| \S.+\. \|$/)
  })

  it("has an example that the schema accepts, and the schema rejects wrong fields", () => {
    const decode = Schema.decodeUnknownSync(SinkEntry.SinkEntry)
    assert.deepStrictEqual(decode(JSON.parse(String(Buffer.from(SinkEntry.encode(entry))))), entry)
    for (const wrong of [
      { amount: 1250000 },
      { amount: "1.00" },
      { status: "final" },
      { entry_id: "x" },
      { lines: [] },
      { lines: entry.lines.slice(1) }
    ]) {
      assert.throws(() => decode({ ...entry, ...wrong }))
    }
  })

  it("has code that recognises a genuine body", async () => {
    const code = /```js\n([^]*?)```/.exec(text)?.[1] ?? ""
    const folder = mkdtempSync(join(tmpdir(), "siteledger-docs-"))
    try {
      writeFileSync(join(folder, "verify.mjs"), code)
      const { isGenuine } = (await import(/* @vite-ignore */ pathToFileURL(join(folder, "verify.mjs")).href)) as {
        readonly isGenuine: (body: Buffer, signature: string | undefined, secret: string) => boolean
      }
      const body = Buffer.from(SinkEntry.encode(entry))
      const shown = signed.exec(text)?.[0].slice(4, 68)
      assert.isTrue(isGenuine(body, shown, secret))
      assert.isFalse(isGenuine(body, shown, "another-secret"))
      assert.isFalse(isGenuine(Buffer.from(`${String(body)}\n`), shown, secret))
      for (const wrong of [undefined, "", "zz", shown?.slice(2)]) assert.isFalse(isGenuine(body, wrong, secret))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
