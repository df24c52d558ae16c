/**
 * `siteledger lake list`: the exports in the lake.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Lake } from "../../src/Lake/Lake.ts"
import * as Runs from "../../src/Lake/Runs.ts"
import { json } from "../Options.ts"
import * as Print from "../Print.ts"

export const list = Command.make("list", { json }, ({ json: asJson }) =>
  Effect.gen(function* () {
    const { name } = yield* Lake
    const { fault, runs } = yield* Runs.list
    if (asJson) return yield* Print.document({ lake: name, runs, fault })
    if (fault !== null) yield* Console.log(Print.complaint(fault))
    if (runs.length === 0)
      return yield* Console.log(`There is no export on ${name} yet: \`siteledger export\` makes one.`)
    const rows = runs.map(({ asOf, bytes, files, isNewest, run: id, rows: count, safeUntil }) => {
      const columns =
        asOf === null
          ? { as_of: "its manifest can't be read" }
          : { as_of: `${asOf.slice(0, 19)}Z`, files, rows: count, bytes }
      return { run: id, ...columns, safe_until: isNewest ? "newest" : (safeUntil?.slice(0, 16) ?? "") }
    })
    yield* Console.log(Print.aligned(["run", "as_of", "files", "rows", "bytes", "safe_until"], rows))
  })
).pipe(
  Command.withDescription("List the exports, newest first"),
  Command.withExamples([
    { command: "siteledger lake list", description: "The exports, newest first" },
    { command: "siteledger lake list --json", description: "The same for a program" }
  ])
)
