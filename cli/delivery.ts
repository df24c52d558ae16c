/**
 * `siteledger delivery ID`: what came under an event's id, or with a sequence: its headers, its body, what its record
 * still has from it, and the entries that rest on it.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import type { Answer } from "../src/Operate/AdminApi.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { argument, json } from "./Options.ts"
import * as Said from "./Said.ts"

const flags = { id: argument("id", "The event's id, or the sequence that `siteledger events` shows"), json }

export const delivery = Command.make("delivery", flags, ({ id, json: asJson }) =>
  Effect.flatMap(ask("delivery", { id }, Alone.stored), Said.answer(asJson, page))
).pipe(
  Command.withDescription("Show one delivery as it was received, and what became of it"),
  Command.withExamples([
    { command: "siteledger delivery 4711", description: "The delivery with this sequence" },
    {
      command: "siteledger delivery 0f8b6c1e-5b0e-4a39-9c55-6d5a6f0f4a77 --json",
      description: "All deliveries with this event id, with the bytes as they were signed"
    }
  ]),
  Command.provide(Log.layerSettings)
)

type Delivery = Answer<"delivery">["deliveries"][number]

const page = ({ deliveries }: Answer<"delivery">): ReadonlyArray<string> =>
  deliveries.flatMap((each, at) => [...(at === 0 ? [] : [""]), ...one(each)])

const one = (of: Delivery): ReadonlyArray<string> => [
  `Delivery ${of.sequence}`,
  ...Said.outline({
    "event id": of.event_id,
    type: of.event_type ?? "unknown",
    happened: of.event_timestamp,
    sent: of.issued_at,
    received: of.received_at,
    came: of.deliveries === 1 ? "once" : `${of.deliveries} times`,
    record: of.entity === null ? null : `${of.entity} ${of.entity_id}`,
    outcome: [of.reason === null ? of.outcome : `${of.outcome}: ${of.reason}`, ...of.alarms].join(", "),
    "body's SHA-256": of.body_sha256
  }).map((line) => `  ${line}`),
  ...Said.section(
    "Headers",
    of.headers.map(({ name, value }) => `${name}: ${value}`),
    "not kept"
  ),
  ...Said.section("Body", bodyOf(of), "lost: `siteledger status` says which part of the inbox is damaged"),
  ...Said.section(
    "Columns that still have its values",
    of.columns,
    "none: newer events have set all of them, or it set none"
  ),
  ...Said.section(
    "Posted because of it",
    of.entries.map(({ amount, currency, entry_id, kind, payment_reference }) =>
      `${kind} ${amount} ${currency ?? ""}`.trim().concat(`, ${payment_reference}  (${entry_id})`)
    ),
    "nothing"
  )
]

/** The text as it came: a number that is parsed and written again may lose digits. */
const bodyOf = ({ body, bodyBase64 }: Delivery): ReadonlyArray<string> => {
  if (bodyBase64 === null) return []
  if (body !== null) return body.split("\n")
  return [`no text: ${Said.size(Buffer.byteLength(bodyBase64, "base64"))}, which \`--json\` has in Base64`]
}
