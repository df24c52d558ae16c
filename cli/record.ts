/**
 * `siteledger record TABLE ID`: one record in its current state, one line per field with its value and origin, and the
 * deliveries about it, newest first.
 */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Answer } from "../src/Operate/AdminApi.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { argument, json, whole } from "./Options.ts"
import * as Print from "./Print.ts"
import * as Said from "./Said.ts"

const flags = {
  table: argument("table", "A table of records, as `siteledger tables` shows them"),
  id: argument("id", "The record's id: the key of its row"),
  before: whole("before", "Only deliveries before this sequence: the last of the previous page").pipe(Flag.optional),
  json
}

type Record = Answer<"record">

export const record = Command.make("record", flags, ({ before, id, json: asJson, table }) =>
  Effect.flatMap(
    ask("record", { table, id, ...(Option.isSome(before) ? { before: before.value } : {}) }, Alone.stored),
    Said.answer(asJson, page)
  )
).pipe(
  Command.withDescription("Show one record: each field and where its value comes from, and the deliveries about it"),
  Command.withExamples([
    { command: "siteledger record ipcs IPC-7", description: "Where each value of this IPC comes from" },
    { command: "siteledger record projects 4711 --json", description: "The same for a project, for a program" }
  ]),
  Command.provide(Log.layerSettings)
)

const page = ({ deliveries, fields, hasOlder, id, table }: Record): ReadonlyArray<string> => [
  `${table} ${id}`,
  ...Said.section("Fields", lines(fields), "no row"),
  ...Said.section("Deliveries, newest first", (deliveries ?? []).map(told), none(deliveries)),
  ...(hasOlder ? [`  older ones: --before ${deliveries?.at(-1)?.sequence}`] : [])
]

const none = (deliveries: Record["deliveries"]): string =>
  deliveries === null ? "too many events to find those about it in a short time" : "none"

type Field = Record["fields"][number]

const lines = (fields: ReadonlyArray<Field>): ReadonlyArray<string> => {
  const shown = fields.filter(({ misfit, said, value }) => value !== null || misfit !== null || said !== null)
  const rows = shown.map((field) => ({
    field: field.name,
    value: field.misfit === null ? field.value : `${field.misfit} (doesn't fit ${field.type})`,
    said_by: saidBy(field)
  }))
  return rows.length === 0 ? [] : Print.aligned(["field", "value", "said_by"], rows).split("\n")
}

const words = {
  event: "event",
  "look-up": "a look-up",
  read: "the list, or a look-up",
  absence: "two passes that didn't see it"
} as const

const saidBy = ({ said }: Field): string => {
  if (said === null) return ""
  const { at, by, event_id: id, event_type: type, sequence } = said
  return by === "event" ? `delivery ${sequence}, ${type ?? "unknown"} of ${at} (${id})` : `${words[by]}, from ${at} on`
}

const told = (of: NonNullable<Record["deliveries"]>[number]): string =>
  `${of.sequence}  ${of.received_at}  ${of.event_type ?? "unknown"}  ${of.reason === null ? of.outcome : `${of.outcome}: ${of.reason}`}  (${of.event_id})`
