/**
 * `siteledger ledger verify`: exits with 1 if the books differ from their facts, or the facts from what was signed.
 */
import { Effect, Record, Runtime, Schema } from "effect"
import { Command } from "effect/cli"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { json, optionalText } from "../Options.ts"
import * as Said from "../Said.ts"

/** The differences have been printed. */
export class Differs extends Schema.TaggedError<Differs>()("Differs", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
}

const since = optionalText(
  "since",
  "Compare with this head, from an earlier verify, an export or an entry in accounting"
)

export const verify = Command.make("verify", { since, json }, ({ json: asJson, ...given }) =>
  Effect.gen(function* () {
    const verified = yield* ask("ledger-verify", Record.getSomes(given), Alone.audit)
    yield* Said.answer(asJson, page)(verified)
    if (verified.differences.length > 0)
      return yield* new Differs({ message: "The books differ from their facts, or these from what was signed." })
  })
).pipe(
  Command.withDescription("Read all signed deliveries again, recompute the books, and compare"),
  Command.withExamples([
    { command: "siteledger ledger verify", description: "Read all deliveries again and compare" },
    {
      command: "siteledger ledger verify --since 42:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      description: "Compare with a head that was kept elsewhere"
    }
  ])
)

const page = ({ bodies, differences, entries, facts, head, holds, ipcs }: Answer<"ledger-verify">) => [
  `Read ${Said.counted(bodies, "signed body", "signed bodies")} again: ${Said.counted(facts, "fact")} of ` +
    `${Said.counted(ipcs, "IPC")}, ${Said.counted(entries, "entry", "entries")}, ${Said.counted(holds, "open hold")}.`,
  ...(differences.length === 0 ? ["Everything agrees."] : differences.map((each) => `! ${each}`)),
  ...(head === null ? [] : [`Head of the chain, for --since: ${head}`])
]
