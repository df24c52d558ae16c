/**
 * Rows of the books, as many as requested; stderr says how many more there are.
 */
import { Console, Effect, Option, Record } from "effect"
import { CliError, Flag } from "effect/cli"
import type { Answer, Payload } from "../../src/Operate/AdminApi.ts"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { json, optionalText, toggle, whole } from "../Options.ts"
import * as Print from "../Print.ts"

const usual = 50

export const flags = {
  ipc: optionalText("ipc", "Only this IPC"),
  limit: whole("limit", `Most rows to show (default ${usual})`, { least: 1 }).pipe(Flag.optional),
  all: toggle("all", "Show all rows"),
  json
}

interface Request {
  readonly ipc: Option.Option<string>
  readonly limit: Option.Option<number>
  readonly all: boolean
}

type Found = Answer<"ledger-list">

/** `more`: what else this verb takes. */
export const find = <Verb extends "ledger-list" | "ledger-holds">(
  verb: Verb,
  { all, ipc, limit }: Request,
  more: Omit<Payload<Verb>, "ipc" | "limit">
) =>
  Effect.gen(function* () {
    if (all && Option.isSome(limit)) return yield* limitAndAll
    const most = all ? {} : { limit: Option.getOrElse(limit, () => usual) }
    return yield* ask(verb, { ...more, ...most, ...Record.getSomes({ ipc }) } as Payload<Verb>, Alone.books)
  })

const limitAndAll = new CliError.UserError({ cause: "--limit and --all are mutually exclusive." })

/** On stderr, so that stdout contains only the rows. */
export const tellRest = ({ rows, total }: Found, what: string, nothing: string) => {
  if (total === 0) return Console.error(nothing)
  return rows.length < total ? Console.error(`${rows.length} of ${total} ${what}: --all shows all.`) : Effect.void
}

export const print = (columns: ReadonlyArray<string>, rows: Found["rows"], asJson: boolean) =>
  asJson ? Print.document(rows) : Console.log(Print.aligned(columns, rows))
