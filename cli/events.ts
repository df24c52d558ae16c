/**
 * `siteledger events`: the newest events, one line each; with `--follow`, also new ones until it is stopped.
 */
import { Console, Effect, Option, Record } from "effect"
import { Command, Flag } from "effect/cli"
import { alarms } from "../src/Domain/Event.ts"
import type { Answer, Payload } from "../src/Operate/AdminApi.ts"
import { VerbError } from "../src/Operate/AdminApi/Verb.ts"
import * as Text from "../src/Query/Text.ts"
import * as Alone from "./Alone.ts"
import * as Ask from "./Ask.ts"
import * as Log from "./Log.ts"
import { json, optionalText, toggle, wholeOr } from "./Options.ts"
import * as Print from "./Print.ts"

const flags = {
  follow: toggle("follow", "Keep showing events as they come, until ctrl-c; needs a running worker"),
  types: optionalText("type", "Only these event types, separated by commas"),
  ipc: optionalText("ipc", "Only events of this IPC"),
  table: optionalText("table", "Only events about records of this table"),
  record: optionalText("record", "Only events about the record with this id"),
  outcome: Flag.Literals("outcome", ["applied", "quarantined"]).pipe(
    Flag.withDescription("Only applied events, or only those in quarantine"),
    Flag.optional
  ),
  alarm: Flag.Literals("alarm", alarms).pipe(
    Flag.withDescription("Only events that were odd in this way"),
    Flag.optional
  ),
  from: optionalText("from", "Only events received at this time or later, like 2026-11-20 or 2026-11-20T08:30:00Z"),
  to: optionalText("to", "Only events received before this time"),
  before: optionalText("before", "Only events before the end that an earlier page printed"),
  last: wholeOr(20, "last", "How many of the newest", { most: 2000 }),
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
  message:
    "`siteledger events --follow` shows the events that a running worker takes, and none is running: start it first."
})

/** If the worker is unavailable for a while, this waits: no event that it takes meanwhile is missed. */
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

const followsOn = new VerbError({
  message: "`--before` looks back, and `--follow` waits for new events: give only one of them."
})

/** For the person, not for a program that reads the events; none if these are all. */
const earlier = (next: string | null) =>
  next === null ? Effect.void : Console.error(`Earlier ones, if there are any: --before "${next}"`)

export const events = Command.make("events", flags, ({ follow: isFollowing, json: asJson, last, types, ...given }) =>
  Effect.gen(function* () {
    const { before, ...chosen } = given
    const filters: Payload<"events"> = {
      ...Record.getSomes({ types: Option.map(types, (text) => text.split(",").map((type) => type.trim())) }),
      ...Record.getSomes(chosen)
    }
    if (isFollowing) {
      if (Option.isSome(before)) return yield* followsOn
      return yield* Effect.raceFirst(follow(filters, last, print(asJson)), Print.readerGone)
    }
    const found = yield* Ask.ask("events", { ...filters, ...Record.getSomes({ before }), last }, Alone.stored)
    for (const event of found.events) yield* print(asJson)(event)
    yield* earlier(found.next)
  })
).pipe(
  Command.withDescription("Show the newest events, one line each; --follow shows new ones as they come"),
  Command.withExamples([
    { command: "siteledger events --follow", description: "Watch new events" },
    {
      command: "siteledger events --ipc IPC-7 --last 100 --json",
      description: "The newest events of one IPC, for a program"
    },
    {
      command: "siteledger events --alarm replayed --from 2026-11-01 --to 2026-12-01",
      description: "Events of November that came under a second id"
    }
  ]),
  Command.provide(Log.layerSettings)
)
