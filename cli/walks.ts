/**
 * `siteledger walks`: the passes over lists that have ended, newest first: what each proved, and what it found.
 */
import { Console, Effect, Option, Record } from "effect"
import { Argument, Command } from "effect/cli"
import type { Answer } from "../src/Operate/AdminApi.ts"
import * as Text from "../src/Query/Text.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { argument, json, optionalText, wholeOr } from "./Options.ts"
import * as Print from "./Print.ts"

const flags = {
  list: Argument.optional(argument("list", "Only walks of this list")),
  after: optionalText("after", "Only walks after the end of a page: its `next`, which --json shows"),
  last: wholeOr(50, "last", "How many of the newest", { least: 1, most: 500 }),
  json
}

type Walk = Answer<"walks">["walks"][number]

const columns = ["list", "ended", "seconds", "proof", "rows", "total", "pages", "deleted"]

const rowOf = ({ endedAt, startedAt, ...walk }: Walk) => ({
  ...walk,
  ended: endedAt.slice(0, 19).replace("T", " "),
  seconds: Math.max(0, Math.round((Date.parse(endedAt) - Date.parse(startedAt)) / 1000))
})

/** Each sentence once, under the newest walk to which it applies. */
const disturbances = (walks: ReadonlyArray<Walk>): ReadonlyArray<string> => [
  ...new Set(
    walks.flatMap(({ disturbance, list }) => (disturbance === null ? [] : [Text.visible(`${list}: ${disturbance}`)]))
  )
]

export const walks = Command.make("walks", flags, ({ after, json: asJson, last, list }) =>
  Effect.gen(function* () {
    const found = yield* ask("walks", { last, ...Record.getSomes({ after, list }) }, Alone.walks)
    if (asJson) return yield* Print.document(found)
    if (found.walks.length === 0) {
      return yield* Console.log(
        Option.isSome(after) ? "No older walk is kept." : "No walk has been completed since version 7 of the tables."
      )
    }
    yield* Console.log(Print.aligned(columns, found.walks.map(rowOf)))
    for (const sentence of disturbances(found.walks)) yield* Console.log(`\n${sentence}`)
  })
).pipe(
  Command.withDescription("Show the completed walks over lists, newest first, and what each proved"),
  Command.withExamples([
    { command: "siteledger walks", description: "The newest of all lists" },
    {
      command: "siteledger walks projects --last 500 --json",
      description: "All that are kept of one list, for a program"
    }
  ]),
  Command.provide(Log.layerSettings)
)
