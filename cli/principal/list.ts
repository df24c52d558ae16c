/**
 * `siteledger principal list`: all current and former principals, without their tokens.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { json } from "../Options.ts"
import * as Print from "../Print.ts"

const columns = ["name", "roles", "added", "by", "rotated", "revoked"]

/** To the minute. */
const time = (instant: string | null): string => (instant === null ? "" : instant.slice(0, 16).replace("T", " "))

export const list = Command.make("list", { json }, ({ json: asJson }) =>
  Effect.gen(function* () {
    const { principals } = yield* ask("principal-list", {}, Alone.principals)
    if (asJson) return yield* Print.document({ principals })
    if (principals.length === 0) return yield* Console.log("There are no principals: `siteledger principal add`.")
    const rows = principals.map(({ addedAt, addedBy, name, revokedAt, roles, rotatedAt }) => ({
      name,
      roles: roles.join(", "),
      added: time(addedAt),
      by: addedBy,
      rotated: time(rotatedAt),
      revoked: time(revokedAt)
    }))
    yield* Console.log(Print.aligned(columns, rows))
  })
).pipe(
  Command.withDescription("List all principals with their roles, and when they were added and revoked"),
  Command.withExamples([
    { command: "siteledger principal list", description: "Who may do what" },
    { command: "siteledger principal list --json", description: "The same for a program" }
  ])
)
