/**
 * `siteledger explain IPC`: one IPC on one page: its row, what was delivered, what was posted and what waits, each in
 * order of time.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Amount from "../src/Domain/Amount.ts"
import type { Preceding } from "../src/Ledger/Fact.ts"
import * as Lines from "../src/Ledger/Lines.ts"
import type { Answer } from "../src/Operate/AdminApi.ts"
import type { Row } from "../src/Operate/AdminApi/LedgerVerbs.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { argument, json } from "./Options.ts"
import * as Said from "./Said.ts"

const flags = { ipc: argument("ipc", "The IPC's id"), json }

export const explain = Command.make("explain", flags, ({ ipc, json: asJson }) =>
  Effect.flatMap(ask("explain", { ipc }, Alone.books), Said.answer(asJson, page))
).pipe(
  Command.withDescription("Show every delivery, version, fact, entry and hold of one IPC"),
  Command.withExamples([
    { command: "siteledger explain IPC-7", description: "How the rows and entries of this IPC came about" },
    { command: "siteledger explain IPC-7 > IPC-7.txt", description: "The same in a file, for an auditor" }
  ]),
  Command.provide(Log.layerSettings)
)

const page = (of: Answer<"explain">) => [
  `IPC ${of.ipc}`,
  ...Said.section("Now (column, value, clock)", of.row === null ? [] : columns(of.row), "no row"),
  ...Said.section("Deliveries, in stored order", of.events.map(event), "none"),
  ...Said.section("Facts of the ledger", of.facts.map(fact), "none"),
  ...Said.section("Posted", of.entries.map(entry), "nothing"),
  ...Said.section("Open", [balance(of.balance)], "nothing"),
  ...Said.section("Waiting for a decision", of.holds.map(hold), "nothing"),
  ...Said.section("Decided", of.decisions.map(decision), "nothing")
]

const isOurs = (name: string): boolean => name.startsWith("_")

const clocks = (row: Row): Readonly<Record<string, string>> =>
  JSON.parse(String(row["_clocks"] ?? "{}")) as Readonly<Record<string, string>>

/** A column with the clock of its value: microseconds, stage, hash of the body. */
const columns = (row: Row): ReadonlyArray<string> =>
  Object.entries(row)
    .filter(([name, value]) => !isOurs(name) && value !== null)
    .map(([name, value]) => `${name.padEnd(18)} ${String(value).padEnd(32)} ${clocks(row)[name] ?? ""}`.trimEnd())

const unposted = "posted nothing (`siteledger replay` with SITELEDGER_TRUST_TYPE_HEADER=true)"

const event = (row: Row): string => {
  const alarms = row["alarms"] === "[]" ? "" : `  alarms ${row["alarms"]}`
  const times = Number(row["deliveries"]) === 1 ? "" : `, ${row["deliveries"]} times`
  const state =
    row["reason"] === null ? "" : `  ${row["outcome"] === "applied" ? unposted : "in quarantine"}: ${row["reason"]}`
  return `${row["event_timestamp"] ?? "no time"}  ${row["event_type"] ?? "unknown"}  received ${row["received_at"]}${times}  ${row["event_id"]}${alarms}${state}`
}

/** The content by name; amounts as decimals, not in the stored ten-thousandths. */
const fact = (row: Row): string => {
  const { preceding, units, ...content } = JSON.parse(String(row["content"])) as Row
  const amount = units == null ? "" : ` ${Amount.ofUnits(BigInt(units)) ?? units}`
  // Nested values are for auditors: `--json` has them.
  const others = Object.entries(content).filter(([, value]) => value !== null && typeof value !== "object")
  const before = (preceding as Preceding | undefined)?.ipcId
  return [
    `${row["number"]}  ${row["known_at"]}  ${row["kind"]}${amount}`,
    ...(before === undefined ? [] : [before === null ? "first of its project" : `after IPC ${before}`]),
    ...others.map(([name, value]) => `${name} ${value}`)
  ].join("  ")
}

const entry = (row: Row): string =>
  `${row["sequence"]}  ${row["effective_at"]}  ${row["kind"]} ${row["amount"]} ${row["currency"] ?? ""} ${accounts(row)}, ${row["payment_reference"]}  (${row["entry_id"]})`

/** An older worker knows no more than two lines. */
const accounts = (row: Row): string => Lines.inWords({ ...row, lines: row["lines"] ?? null } as Lines.Columns)

const balance = ({ certified, due, open, paid }: Answer<"explain">["balance"]): string =>
  `certified ${certified ?? "unknown"}, due ${due ?? "unknown"}, paid ${paid}, open ${open ?? "unknown"}`

const hold = (row: Row): string => {
  const amount = row["amount"] === null ? "" : ` ${[row["amount"], row["currency"] ?? ""].join(" ").trim()}`
  return `since ${row["since"]}  ${row["reason"]}${amount}, ${row["payment_reference"]}  (${row["hold_id"]}). ${[row["question"], row["looked_up"]].filter((text) => text != null).join(" ")}`
}

const decision = (row: Row): string => {
  const principal = row["principal"] == null ? "" : ` (${row["principal"]})`
  const by =
    row["verdict"] === "answered"
      ? "answered by an event"
      : `${row["verdict"]}ed by ${row["decided_by"]}${principal}: ${row["why"]}`
  return `${row["decided_at"]}  ${row["reason"]} ${by}${row["amount"] === null ? "" : ` (${row["amount"]})`}`
}
