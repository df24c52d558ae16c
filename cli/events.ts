/**
 * `siteledger events`: the newest events, one line each; with `--follow` also those that come, until it is stopped.
 */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Answer, Payload } from "../src/Operate/AdminApi.ts"
import { VerbError } from "../src/Operate/AdminApi/Verb.ts"
import * as Text from "../src/Query/Text.ts"
import * as Alone from "./Alone.ts"
import * as Ask from "./Ask.ts"
import * as Log from "./Log.ts"
import { json, optionalText, toggle, wholeOr } from "./Options.ts"
import * as Print from "./Print.ts"

const flags = {
  follow: toggle("follow", "Go on until ctrl-c, with each event that comes; needs a running worker"),
  types: optionalText("type", "Only these event types, separated by commas"),
  ipc: optionalText("ipc", "Only events of this IPC"),
  outcome: Flag.Literals("outcome", ["applied", "quarantined"]).pipe(
    Flag.withDescription("Only what is applied, or only what waits in quarantine"),
    Flag.optional
  ),
  last: wholeOr(20, "last", "How many of the newest to begin with, of the last 2000 deliveries", { most: 2000 }),
  json
}

type Event = Answer<"events">["events"][number]

const columns = 80
const sequenceColumns = 8
const typeColumns = 20
const idColumns = 18

const fitted = (text: string, width: number): string => {
  const shown = Text.cut(Text.visible(text), width)
  return shown + " ".repeat(Math.max(0, width - Text.width(shown)))
}

/** At most 80 columns. */
export const lineOf = ({ alarms, entity_id, event_type, outcome, reason, received_at, sequence }: Event): string => {
  const what = [outcome === "applied" && reason === null ? outcome : (reason ?? outcome), ...alarms].join(", ")
  const number = String(sequence).padStart(sequenceColumns)
  const line = `${received_at.slice(11, 19)}${number} ${fitted(event_type ?? "?", typeColumns)} ${fitted(entity_id ?? "", idColumns)} `
  return `${line}${Text.cut(Text.visible(what), columns - Text.width(line))}`.trimEnd()
}

const print = (asJson: boolean) => (event: Event) => (asJson ? Print.document(event) : Console.log(lineOf(event)))

const pollEvery = "500 millis"

const nothing = new VerbError({
  message: "`siteledger events --follow` shows what a running worker takes, and none is running: start it first."
})

/** A worker that is gone for a while is awaited: nothing that it takes meanwhile is missed. */
const follow = Effect.fnUntraced(function* (
  filters: Payload<"events">,
  last: number,
  show: (event: Event) => Effect.Effect<void>
) {
  if (Option.isNone(yield* Ask.running)) return yield* nothing
  let after: number | undefined
  while (true) {
    const note = yield* Ask.running
    const payload = after === undefined ? { ...filters, last } : { ...filters, after }
    const found = yield* Option.match(note, {
      onNone: () => Effect.succeedNone,
      onSome: (running) =>
        Effect.asSome(Ask.throughWorker(running, "events", payload)).pipe(
          Effect.catchTag("Unanswered", () => Effect.succeedNone)
        )
    })
    if (Option.isSome(found)) {
      for (const event of found.value.events) yield* show(event)
      after = found.value.through
    }
    yield* Effect.sleep(pollEvery)
  }
})

export const events = Command.make(
  "events",
  flags,
  ({ follow: isFollowing, ipc, json: asJson, last, outcome, types }) =>
    Effect.gen(function* () {
      const filters: Payload<"events"> = {
        ...(Option.isSome(types) ? { types: types.value.split(",").map((type) => type.trim()) } : {}),
        ...(Option.isSome(ipc) ? { ipc: ipc.value } : {}),
        ...(Option.isSome(outcome) ? { outcome: outcome.value } : {})
      }
      if (isFollowing) return yield* Effect.raceFirst(follow(filters, last, print(asJson)), Print.readerGone)
      const found = yield* Ask.ask("events", { ...filters, last }, Alone.stored)
      for (const event of found.events) yield* print(asJson)(event)
    })
).pipe(
  Command.withDescription("Show the newest events, and with --follow those that come, one line each"),
  Command.withExamples([
    { command: "siteledger events --follow", description: "Watch what comes" },
    {
      command: "siteledger events --ipc IPC-7 --last 100 --json",
      description: "The newest events of one IPC, for a program"
    }
  ]),
  Command.provide(Log.layerSettings)
)
