/**
 * `siteledger move --to WHERE`: moves the store from the configured engine to another, empty one; no worker may run on
 * either. WHERE is what SITELEDGER_WAREHOUSE is to be from then on. The outcome is one JSON document on stdout: each
 * table with its rows and the hash that came out the same on both sides.
 */
import { Console, Effect, Result } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import * as Address from "../config/Address.ts"
import * as Settings from "../config/Settings.ts"
import { Lock } from "../src/Runtime/Lock.ts"
import * as Move from "../src/Operate/Move.ts"
import * as PostgresSide from "../src/Operate/Move/Postgres.ts"
import * as SqliteSide from "../src/Operate/Move/Sqlite.ts"
import { byEngine, isEmbedded } from "../src/Stores/Engine.ts"
import * as Log from "./Log.ts"
import { piped } from "./Options.ts"
import * as Print from "./Print.ts"

const flags = {
  to: Flag.String("to").pipe(
    Flag.withDescription(
      "postgres://USER@HOST:PORT/DATABASE (its password in PGPASSWORD), duckdb:PATH, or - to read it from standard input"
    )
  )
}

const readTarget = (given: string) =>
  Effect.gen(function* () {
    const text = given === "-" ? (yield* piped).trim() : given
    return yield* Result.match(Address.warehouse(text), {
      onFailure: (sentence) => Effect.fail(new CliError.UserError({ cause: `--to ${sentence}` })),
      onSuccess: (target) => Effect.succeed(target)
    })
  })

const sameEngine = new CliError.UserError({
  cause: "The store lies in the data directory already: duckdb:PATH moves it there from PostgreSQL."
})

export const move = Command.make("move", flags, (given) =>
  Effect.gen(function* () {
    const here = yield* Settings.Settings
    const { dataDir } = here
    const there = { dataDir, warehouse: yield* readTarget(given.to) }
    if (isEmbedded(here) && isEmbedded(there)) return yield* sameEngine
    const from = byEngine(here, { embedded: ({ store }) => SqliteSide.source(store), server: PostgresSide.open })
    const to = byEngine(there, { embedded: ({ store }) => SqliteSide.target(store), server: PostgresSide.open })
    const moved = yield* Effect.scoped(Move.move(from, to)).pipe(Effect.provide(Lock.layer(dataDir)))
    yield* Print.document(moved)
    yield* Console.error("Everything is there. Set SITELEDGER_WAREHOUSE to it, then start the worker.")
  })
).pipe(
  Command.withDescription("Move the store to another, empty engine, whole; no worker may run"),
  Command.provide(Log.layerSettings)
)
