/**
 * `siteledger move --to WHERE`: moves the store from the configured engine to another, empty one; no worker may run on
 * either. WHERE is the new value of SITELEDGER_WAREHOUSE. It prints how many rows each table has, compared on both
 * sides by their hash.
 */
import { Console, Effect, Result } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import * as Address from "../config/Address.ts"
import * as Settings from "../config/Settings.ts"
import { underWay } from "../src/Runtime/Progress.ts"
import { Lock } from "../src/Runtime/Lock.ts"
import * as Move from "../src/Operate/Move.ts"
import * as PostgresSide from "../src/Operate/Move/Postgres.ts"
import * as SqliteSide from "../src/Operate/Move/Sqlite.ts"
import { byEngine, isEmbedded } from "../src/Stores/Engine.ts"
import * as Bar from "./Bar.ts"
import * as Log from "./Log.ts"
import { json, piped } from "./Options.ts"
import * as Said from "./Said.ts"

const flags = {
  to: Flag.String("to").pipe(
    Flag.withDescription(
      "postgres://USER@HOST:PORT/DATABASE (password in PGPASSWORD), duckdb:PATH, or - to read it from standard input"
    )
  ),
  json
}

const readTarget = (to: string) =>
  Effect.gen(function* () {
    const text = to === "-" ? (yield* piped).trim() : to
    return yield* Result.match(Address.warehouse(text), {
      onFailure: (sentence) => Effect.fail(new CliError.UserError({ cause: `--to ${sentence}` })),
      onSuccess: (target) => Effect.succeed(target)
    })
  })

const sameEngine = new CliError.UserError({
  cause: "The store is already in the data directory: duckdb:PATH moves it there from PostgreSQL."
})

export const move = Command.make("move", flags, ({ json: asJson, to: where }) =>
  Effect.gen(function* () {
    const here = yield* Settings.Settings
    const { dataDir } = here
    const there = { dataDir, warehouse: yield* readTarget(where) }
    if (isEmbedded(here) && isEmbedded(there)) return yield* sameEngine
    const from = byEngine(here, { embedded: ({ store }) => SqliteSide.source(store), server: PostgresSide.open })
    const to = byEngine(there, { embedded: ({ store }) => SqliteSide.target(store), server: PostgresSide.open })
    const moved = yield* Effect.scoped(Move.move(from, to)).pipe(
      Bar.shown("move", underWay),
      Effect.provide(Lock.layerAt(dataDir))
    )
    yield* Said.answer(asJson, page)(moved)
    yield* Console.error("Everything was moved. Set SITELEDGER_WAREHOUSE to the new place, then start the worker.")
  })
).pipe(
  Command.withDescription("Move the whole store to another, empty engine; no worker may be running"),
  Command.withExamples([
    { command: "siteledger move --to postgres://siteledger@db/siteledger", description: "From files to PostgreSQL" },
    { command: "siteledger move --to duckdb:./data/warehouse.duckdb", description: "And back to files" }
  ]),
  Command.provide(Log.layerSettings)
)

const page = ({ from, tables, to }: Effect.Success<ReturnType<typeof Move.move>>) => [
  `Moved from ${from} to ${to}; each table was read back and is the same:`,
  ...Said.table(Object.entries(tables).map(([table, { rows }]) => ({ table, rows })))
]
