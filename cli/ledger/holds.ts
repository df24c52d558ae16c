/**
 * `siteledger ledger holds`: the holds that have waited longest for a decision, or the largest ones, of one reason or
 * of all. On a terminal, each question follows once below the table, with what look-ups found.
 */
import { Console, Effect, Option, Record } from "effect"
import { Command, Flag } from "effect/cli"
import { questions } from "../../src/Ledger/People/Questions.ts"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import { VerbError } from "../../src/Operate/AdminApi/Verb.ts"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { optionalText } from "../Options.ts"
import * as Rows from "./Rows.ts"

const columns = ["hold_id", "ipc_id", "payment_reference", "reason", "since", "amount", "currency"]

const flags = {
  ...Rows.flags,
  reason: Flag.Literals("reason", Object.keys(questions)).pipe(
    Flag.withDescription("Only holds with this reason"),
    Flag.optional
  ),
  order: Flag.Literals("order", ["oldest", "largest"]).pipe(
    Flag.withDescription("Which holds come first (default oldest); largest ignores the currency"),
    Flag.withDefault("oldest" as const)
  ),
  after: optionalText("after", "Only holds after the one with this id: the last of the previous page")
}

/** The sort key of a hold. */
const lastOf = Effect.fnUntraced(function* (id: string) {
  const { amount, hold_id, since } = yield* ask("ledger-show", { id }, Alone.books)
  if (typeof hold_id !== "string" || typeof since !== "string") return yield* noHold(id)
  return { hold_id, since, amount: typeof amount === "string" ? amount : null }
})

const noHold = (id: string) => new VerbError({ message: `There is no open hold ${id}.` })

export const holds = Command.make("holds", flags, ({ after, order, reason, ...request }) =>
  Effect.gen(function* () {
    const found = yield* Rows.find("ledger-holds", request, {
      order,
      ...Record.getSomes({ reason }),
      ...Record.getSomes({ after: yield* Effect.transposeOption(Option.map(after, lastOf)) })
    })
    yield* Rows.print(columns, found.rows, request.json)
    if (!request.json && process.stdout.isTTY) yield* printQuestions(found)
    yield* Rows.tellRest(
      found,
      Option.isSome(after) ? "holds, after that one" : `holds (the ${order})`,
      "Nothing waits for a decision."
    )
  })
).pipe(
  Command.withDescription("List what waits for a decision, oldest first or largest first"),
  Command.withExamples([
    { command: "siteledger ledger holds", description: "What waits for a decision" },
    { command: "siteledger ledger holds --ipc IPC-7 --json", description: "The holds of one IPC, for a program" },
    {
      command: "siteledger ledger holds --reason over-payment --order largest --limit 10",
      description: "The ten largest with one reason"
    }
  ])
)

const printQuestions = ({ rows }: Answer<"ledger-holds">) => {
  const questions = new Map(rows.map((row) => [row["reason"], row["question"]]))
  const found = rows.flatMap((row) => (row["looked_up"] == null ? [] : [[row["hold_id"], row["looked_up"]]]))
  return Effect.forEach([...questions, ...found], ([name, text]) => Console.log(`\n${name}: ${text}`), {
    discard: true
  })
}
