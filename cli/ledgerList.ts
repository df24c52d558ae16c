/**
 * `siteledger ledger list` and `holds`: the newest entries, the oldest holds; as many as asked for, and how many more
 * there are on standard error.
 */
import { Console, Effect, Option } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import * as Json from "../src/Domain/Json.ts"
import * as Text from "../src/Query/Text.ts"
import { aligned } from "./Aligned.ts"
import { json, optional, type Texts, told } from "./ledgerAsk.ts"
import { whole } from "./Whole.ts"

const usual = 50

const flags = {
  ipc: Flag.String("ipc").pipe(Flag.withDescription("Of one IPC only"), Flag.optional),
  limit: whole("limit", `At most so many rows (${usual})`, { least: 1 }).pipe(Flag.optional),
  all: Flag.Boolean("all").pipe(Flag.withDescription("All rows"), Flag.withDefault(false)),
  json
}

interface Asked {
  readonly ipc: Option.Option<string>
  readonly limit: Option.Option<number>
  readonly all: boolean
}

interface Found {
  readonly total: number
  readonly rows: ReadonlyArray<Texts>
}

const find = (verb: "ledger-list" | "ledger-holds", { all, ipc, limit }: Asked) =>
  Effect.gen(function* () {
    if (all && Option.isSome(limit)) return yield* oneOfThem
    const most = all ? {} : { limit: String(Option.getOrElse(limit, () => usual)) }
    return (yield* told(verb, { ...most, ...optional("ipc", ipc) })) as Found
  })

const oneOfThem = new CliError.UserError({ cause: "--limit and --all are two things: give one of them." })

/** To a person and to whoever reads a program's log; the data are whole in their form whatever is cut. */
const tellRest = ({ rows, total }: Found, what: string, nothing: string) => {
  if (total === 0) return Console.error(nothing)
  return rows.length < total ? Console.error(`${rows.length} of ${total} ${what}: --all shows all.`) : Effect.void
}

const print = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Texts>, asJson: boolean) =>
  Console.log(asJson ? Text.visibleJson(Json.stringify(rows)) : aligned(columns, rows))

const journalColumns = [
  "sequence",
  "entry_id",
  "ipc_id",
  "kind",
  "amount",
  "currency",
  "payment_reference",
  "effective_at",
  "known_at"
]
const holdColumns = ["hold_id", "ipc_id", "payment_reference", "reason", "since", "amount", "currency"]

export const list = Command.make("list", flags, (asked) =>
  Effect.gen(function* () {
    const found = yield* find("ledger-list", asked)
    yield* print(journalColumns, found.rows, asked.json)
    yield* tellRest(found, "entries, the newest", "Nothing is posted yet.")
  })
).pipe(Command.withDescription("The journal, newest first"))

export const holds = Command.make("holds", flags, (asked) =>
  Effect.gen(function* () {
    const found = yield* find("ledger-holds", asked)
    yield* print(holdColumns, found.rows, asked.json)
    if (!asked.json && process.stdout.isTTY) yield* printQuestions(found.rows)
    yield* tellRest(found, "holds, the oldest", "Nothing waits for a decision.")
  })
).pipe(Command.withDescription("What waits for a decision, the oldest first"))

/** For a person at a terminal, each question once below the table. */
const printQuestions = (rows: ReadonlyArray<Texts>) => {
  const asked = new Map(rows.map((row) => [row["reason"], row["question"]]))
  return Effect.forEach(asked, ([name, question]) => Console.log(`\n${name}: ${question}`), { discard: true })
}
