/**
 * `siteledger records TABLE`: current records in the warehouse that match `--where`, a page at a time.
 */
import { Console, Effect, Record } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import type { Answer, Payload } from "../src/Operate/AdminApi.ts"
import * as Text from "../src/Query/Text.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { argument, json, optionalText, toggle, wholeOr } from "./Options.ts"
import * as Print from "./Print.ts"
import { counted } from "./Said.ts"

type Condition = NonNullable<Payload<"records">["where"]>[number]

const mostConditions = 5

const flags = {
  table: argument("table", "A table of records, as `siteledger tables` shows them"),
  where: Flag.String("where").pipe(
    Flag.withDescription(
      'Only those of this value: "status=paid", also < and >, ~ (contains), ^ (begins with), "paid_at is null", "is not null"; up to 5'
    ),
    Flag.between(0, mostConditions)
  ),
  after: optionalText("after", "Only records after the end of the previous page, as it was printed"),
  changed: toggle("changed", "Newest changes first, instead of in the order of keys"),
  last: wholeOr(50, "last", "Most records to show", { least: 1, most: 200 }),
  json
}

const operators = { "=": "equals", "~": "contains", "^": "begins", "<": "less", ">": "more" } as const

const conditionOf = (text: string): Condition | undefined => {
  const [, empty, not] = /^(.+?)\s+is\s+(not\s+)?null$/i.exec(text) ?? []
  if (empty !== undefined) return { column: empty.trim(), is: not === undefined ? "null" : "not-null" }
  const [, column = "", operator = "", value = ""] = /^\s*([^=~^<>]+?)\s*([=~^<>])\s*(.*)$/s.exec(text) ?? []
  if (column === "") return undefined
  return { column, is: operators[operator as keyof typeof operators], value }
}

const conditions = (texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => {
    const condition = conditionOf(text)
    return condition === undefined
      ? Effect.fail(new CliError.UserError({ cause: `--where "${Text.visible(text)}" isn't like "status=paid".` }))
      : Effect.succeed(condition)
  })

/** Internal columns; `siteledger record` shows them. */
const isOurs = (name: string): boolean => name.startsWith("_") && name !== "_key" && name !== "_deleted_at"

const page = Effect.fnUntraced(function* ({ columns, next, rows, stoppedAfter }: Answer<"records">) {
  const named = rows.map((row) => Object.fromEntries(columns.map(({ name }, place) => [name, row[place]])))
  const shown = columns.map(({ name }) => name).filter((name) => !isOurs(name))
  if (rows.length > 0) yield* Console.log(Print.aligned(shown, named))
  const looked = stoppedAfter === null ? "" : `Looked at ${counted(stoppedAfter, "record")} and no further. `
  if (next !== null) return yield* Console.error(`${looked}There may be more: --after "${Text.visible(next)}"`)
  if (rows.length === 0) yield* Console.error("No record matches.")
})

export const records = Command.make("records", flags, ({ after, changed, json: asJson, last, table, where }) =>
  Effect.gen(function* () {
    const payload: Payload<"records"> = {
      table,
      last,
      order: changed ? "changed" : "key",
      where: yield* conditions(where),
      ...Record.getSomes({ after })
    }
    const found = yield* ask("records", payload, Alone.stored)
    yield* asJson ? Print.document(found) : page(found)
  })
).pipe(
  Command.withDescription("Show records of one table as they are now, a page at a time"),
  Command.withExamples([
    { command: 'siteledger records ipcs --where "status=paid" --last 20', description: "The first paid ones" },
    {
      command: 'siteledger records projects --changed --where "_deleted_at is not null" --json',
      description: "Records that the service's list stopped showing, newest first, for a program"
    }
  ]),
  Command.provide(Log.layerSettings)
)
