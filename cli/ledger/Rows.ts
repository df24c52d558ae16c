/**
 * Rows of the books: as many as asked for, and how many more there are on standard error.
 */
import { Console, Effect, Option, Record } from "effect"
import { CliError, Flag } from "effect/cli"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { json, toggle, whole } from "../Options.ts"
import * as Print from "../Print.ts"

const usual = 50

export const flags = {
  ipc: Flag.String("ipc").pipe(Flag.withDescription("Of one IPC only"), Flag.optional),
  limit: whole("limit", `At most so many rows (${usual})`, { least: 1 }).pipe(Flag.optional),
  all: toggle("all", "All rows"),
  json: json()
}

interface Asked {
  readonly ipc: Option.Option<string>
  readonly limit: Option.Option<number>
  readonly all: boolean
}

type Found = Answer<"ledger-list">

export const find = (verb: "ledger-list" | "ledger-holds", { all, ipc, limit }: Asked) =>
  Effect.gen(function* () {
    if (all && Option.isSome(limit)) return yield* oneOfThem
    const most = all ? {} : { limit: Option.getOrElse(limit, () => usual) }
    return yield* ask(verb, { ...most, ...Record.getSomes({ ipc }) }, Alone.books)
  })

const oneOfThem = new CliError.UserError({ cause: "--limit and --all are mutually exclusive." })

/** To a person and to whoever reads a program's log; the data are whole in their form whatever is cut. */
export const tellRest = ({ rows, total }: Found, what: string, nothing: string) => {
  if (total === 0) return Console.error(nothing)
  return rows.length < total ? Console.error(`${rows.length} of ${total} ${what}: --all shows all.`) : Effect.void
}

export const print = (columns: ReadonlyArray<string>, rows: Found["rows"], asJson: boolean) =>
  asJson ? Print.document(rows) : Console.log(Print.aligned(columns, rows))
