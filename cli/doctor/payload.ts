/**
 * `siteledger doctor --payload FILE`: what siteledger reads from a sample from the service, and what to write into the
 * files of names and places so that it reads more. Reads nothing else, and sends nothing.
 */
import { readFileSync } from "node:fs"
import { Clock, Console, Effect, Schema } from "effect"
import * as Settings from "../../config/Settings.ts"
import * as Sample from "../../connectors/construction/ConstructionSample.ts"
import { codeOf } from "../../src/Runtime/SystemFailure.ts"
import { visible } from "../../src/Query/Text.ts"
import { piped } from "../Options.ts"
import * as Print from "../Print.ts"

export class PayloadFailed extends Schema.TaggedError<PayloadFailed>()("PayloadFailed", { message: Schema.String }) {}

/** `-` is standard input. */
export const payload = Effect.fnUntraced(function* (path: string, asJson: boolean) {
  const wire = yield* Settings.wire
  const bytes = path === "-" ? Buffer.from(yield* piped) : yield* readSample(path)
  const sample = Sample.describe(bytes, wire, yield* Clock.currentTimeMillis)
  if (asJson) yield* Print.document(sample)
  else yield* Console.log(linesOf(sample).map(visible).join("\n"))
  if (!sample.isReadable) return yield* new PayloadFailed({ message: "The sample can't be read as configured." })
})

const readSample = (path: string) =>
  Effect.try({
    try: () => readFileSync(path),
    catch: (cause) => new PayloadFailed({ message: `${path} can't be read: ${codeOf(cause)}.` })
  })

const linesOf = ({ suggested, ...now }: Sample.Sample): ReadonlyArray<string> => [
  ...described(now),
  ...(suggested === null
    ? []
    : [
        "",
        "Judging by its field names, this would help:",
        ...fileLines("SITELEDGER_ENVELOPE", suggested.envelope),
        ...fileLines("SITELEDGER_FIELD_ALIASES", suggested.aliases),
        "",
        "With that:",
        ...described(suggested.after)
      ])
]

const described = ({ fields, rest, summary }: Sample.Described): ReadonlyArray<string> => {
  const width = Math.max(...fields.map(({ name }) => name.length), 0)
  return [
    summary,
    ...fields.map(({ name, path, value }) => {
      const from = path === null ? "  (by its fields)" : path === name ? "" : `  from ${path}`
      return `  ${name.padEnd(width)}  ${value ?? "null"}${from}`
    }),
    ...(rest.length === 0 ? [] : [`  in no column, kept in _extra: ${rest.join(", ")}`])
  ]
}

const fileLines = (variable: string, contents: object): ReadonlyArray<string> =>
  Object.keys(contents).length === 0 ? [] : [`  in the file of ${variable}:`, `    ${JSON.stringify(contents)}`]
