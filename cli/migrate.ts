/**
 * `siteledger migrate`: creates or migrates the tables on PostgreSQL, if the ledger's tables have a separate owner;
 * workers may run meanwhile. With files there is nothing to do: each start migrates them.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import * as Migrate from "../src/Operate/Migrate.ts"
import { byEngine } from "../src/Stores/Engine.ts"
import type { Migrated, Step } from "../src/Stores/Postgres/Migrations.ts"
import * as Log from "./Log.ts"
import { json } from "./Options.ts"
import * as Said from "./Said.ts"

const done = (where: string, { from, to }: Step): string => {
  if (from === null) return `The tables of ${where} were made in version ${to}.`
  return from === to
    ? `The tables of ${where} are current: version ${to}.`
    : `The tables of ${where} were migrated from version ${from} to ${to}.`
}

const sentences = ({ ledger, olderWorkers, rest }: Migrated): ReadonlyArray<string> => [
  ...(ledger.isMoved ? ["The ledger's tables were moved from the schema siteledger to ledger."] : []),
  done("ledger", ledger),
  done("siteledger and construction", rest),
  ...(olderWorkers === 0
    ? []
    : [
        `Workers of an older version still run (${olderWorkers}): they go on, through views in siteledger. Once they are ` +
          "replaced, the next start, or siteledger migrate, removes the views."
      ])
]

const inFiles = Console.error("The tables are in files, which every start migrates by itself. There is nothing to do.")

export const migrate = Command.make("migrate", { json }, ({ json: asJson }) =>
  Effect.gen(function* () {
    const settings = yield* Settings.Settings
    const { migrateUrl } = yield* Settings.migration
    yield* byEngine(settings, {
      embedded: () => inFiles,
      server: (url) =>
        Effect.gen(function* () {
          const migrated = yield* Migrate.migrate(url, migrateUrl)
          const { ledger, olderWorkers, rest } = migrated
          const page = () => sentences(migrated)
          yield* Said.answer(asJson, page)({ ledger, siteledger: rest, olderWorkers })
        })
    })
  })
).pipe(
  Command.withDescription("Make or migrate the tables on PostgreSQL, as their owner; workers may run meanwhile"),
  Command.withExamples([
    {
      command: "SITELEDGER_MIGRATE_URL=postgres://siteledger_owner@db/siteledger siteledger migrate",
      description: "Before the workers of a new version start"
    },
    {
      command: "SITELEDGER_MIGRATE_URL_FILE=owner.url siteledger migrate",
      description: "The same, with the password in a file"
    }
  ]),
  Command.provide(Log.layerSettings)
)
