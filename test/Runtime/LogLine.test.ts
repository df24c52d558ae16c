/**
 * Every line of the log is described once, is one line, and is seen by a test; docs/log.md has them all. After a change:
 * UPDATE_DOCS=1 npx vitest run test/Runtime/LogLine.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import * as LogLine from "../../src/Runtime/LogLine.ts"
import { mostDetails, mostLines } from "../../cli/Log/Limit.ts"
import { Log } from "../Logged.ts"
import { code, read, root, under } from "../Tidy/Sources.ts"

const file = join(root, "docs/log.md")

interface Described {
  readonly level: string | ((given: never) => string)
  readonly cause: string
  readonly fields: Readonly<Record<string, { readonly says: string }>>
  readonly sentence: (given: never) => string
}

const sections = Object.entries(LogLine.sections).map(
  ([title, lines]) => [title, Object.entries(lines as Readonly<Record<string, Described>>)] as const
)
const lines = sections.flatMap(([, each]) => each)

const levelOf = ({ level }: Described): string => (typeof level === "string" ? level.toLowerCase() : "as its reason")

const preface = `# The log

The worker writes what it does to stderr, one line each, from \`LOG_LEVEL\` on (\`info\` if not set), in the format that
\`LOG_FORMAT\` sets. Each line has a name that never changes, and fields. Generated from \`src/Runtime/LogLine.ts\`.

| format | a line |
|---|---|
| \`pretty\` | time (UTC), level, name, and a sentence that has the fields in words |
| \`json\` | an object: \`timestamp\`, \`level\`, \`event\` (the name), \`message\` (the sentence), the fields, \`trace_id\` (see below) |
| \`logfmt\` | the same as \`name=value\` |

\`\`\`json
{"timestamp":"2026-11-20T02:00:03.120Z","level":"INFO","event":"walk.finished","message":"Walked projects: …","resource":"projects","proof":"proven","rows":700}
\`\`\`

At most ${mostLines} lines of one name are written in each minute of the clock (${mostDetails} of a name at level debug; \`reason.set\` and
\`reason.cleared\` are counted for each reason). When the minute is over, \`log.omitted\` says how many were left out. Lines at level
debug that aren't listed here have no name, and may change.

\`trace_id\` finds the lines that belong together, whether or not traces are sent ([telemetry.md](telemetry.md)). For a delivery, its
entries and holds, and the entries sent to accounting, it is the event id without hyphens (a hash of the id, if that is no
UUID in small letters). A walk has its own. A request to the admin listener has the one of its \`traceparent\`, or its own, and so has
the export or the verb that it asks for. \`pretty\` doesn't show it.

No line holds a secret: webhook secrets are named by their fingerprints, and URLs are written without passwords and queries.`

const section = (title: string, of: ReadonlyArray<readonly [string, Described]>): string =>
  [
    `## ${title}`,
    "",
    "| name | level | is written when | fields |",
    "|---|---|---|---|",
    ...of.map(([name, described]) => {
      const fields = Object.entries(described.fields).map(([field, { says }]) => `\`${field}\` (${says})`)
      return `| \`${name}\` | ${levelOf(described)} | ${described.cause} | ${fields.join(", ") || "none"} |`
    })
  ].join("\n")

/** What a line has beside its fields. */
const reserved = ["timestamp", "level", "event", "message", "cause", "trace_id", "span_id"]

describe("the lines of the log", () => {
  it("have a name, a cause in a sentence, and fields in words", () => {
    for (const [name, { cause, fields }] of lines) {
      assert.match(name, /^[a-z]+\.[a-z]+$/)
      assert.match(cause, /^[A-Z`].*\.$/, name)
      for (const [field, { says }] of Object.entries(fields)) {
        assert.match(field, /^[a-z]+(_[a-z]+)*$/, name)
        assert.match(says, /[^.]$/, `${name} ${field}`)
        assert.notInclude(reserved, field, name)
      }
    }
  })

  it("are all in docs/log.md", () => {
    const text = `${[preface, ...sections.map(([title, of]) => section(title, of))].join("\n\n")}\n`
    if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(file, text)
    assert.strictEqual(readFileSync(file, "utf8"), text)
  })

  it("are written through LogLine alone, from level info on", () => {
    const product = under("cli", "src", "connectors", "pipelines").filter((path) => path !== "src/Runtime/LogLine.ts")
    assert.deepStrictEqual(
      product.filter((path) => /\bEffect\.log(Info|Warning|Error|Fatal)?\(/.test(code(path))),
      []
    )
  })

  it("are each caused by a test, and seen there", () => {
    const text = under("test").map(read).join("\n")
    const seen = new Set([...text.matchAll(/\bsaw\((?:[\w.]+, )?"([\w.]+)"/g)].map(([, name]) => name))
    assert.deepStrictEqual(
      lines.map(([name]) => name).filter((name) => !seen.has(name)),
      []
    )
  })
})

describe("a line", () => {
  const details = { event_id: "e", event_type: "ipc.paid", sequence: 7, entity: null, entity_id: null, seconds: 0.25 }

  it.effect("has its name and its fields, without those that are null", () =>
    Effect.gen(function* () {
      const write = LogLine.write("delivery.applied", details)
      const log = new Log()
      yield* Effect.provideService(Effect.provide(write, log.layer), References.MinimumLogLevel, "Debug")
      const fields = { event_id: "e", event_type: "ipc.paid", sequence: 7, seconds: 0.25 }
      const message = "ipc.paid e is applied, 0.25 s after it was received"
      assert.deepStrictEqual(log.written, [{ level: "Debug", event: "delivery.applied", message, fields }])
    })
  )

  it.effect("isn't written below the level", () =>
    Effect.gen(function* () {
      const log = new Log()
      yield* Effect.provide(LogLine.write("delivery.applied", details), log.layer)
      assert.deepStrictEqual(log.written, [])
      assert.isFalse(yield* LogLine.isDetailed)
    })
  )
})
