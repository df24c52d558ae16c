/**
 * `siteledger tables`: the tables and views that analysts see, as they currently are in the warehouse, or one with its
 * columns.
 */
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import type { Answer } from "../src/Operate/AdminApi.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { argument, json } from "./Options.ts"
import * as Said from "./Said.ts"

const flags = { name: Argument.optional(argument("name", "Only this table, with its columns")), json }

type Table = Answer<"tables">["tables"][number]

const lineOf = ({ columns, key, kind, name, says }: Table) => ({ name, kind, key, columns: columns.length, says })

const one = ({ columns, key, kind, name, of, says }: Table): ReadonlyArray<string> => [
  name,
  ...Said.outline({ says, kind, key, of }).map((line) => `  ${line}`),
  ...Said.section("Columns", Said.table(columns), "none")
]

export const tables = Command.make("tables", flags, ({ json: asJson, name }) =>
  Effect.flatMap(
    ask("tables", Option.match(name, { onNone: () => ({}), onSome: (table) => ({ name: table }) }), Alone.stored),
    Said.answer(asJson, ({ tables: found }) =>
      Option.isSome(name) ? found.flatMap(one) : Said.table(found.map(lineOf))
    )
  )
).pipe(
  Command.withDescription("Show the tables and views that analysts see, or the columns of one"),
  Command.withExamples([
    { command: "siteledger tables", description: "All of them, including those of your review file" },
    { command: "siteledger tables ipcs --json", description: "What each column of one means, for a program" }
  ]),
  Command.provide(Log.layerSettings)
)
