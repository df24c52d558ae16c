/**
 * The command line: one file per verb, a folder per family, data on stdout, everything else on stderr.
 *
 * Exit codes: 0 done, 1 failed, 2 usage or configuration.
 */
import { Command } from "effect/cli"
import { backup } from "./backup.ts"
import { dashboard } from "./dashboard.ts"
import { delivery } from "./delivery.ts"
import { demo } from "./demo.ts"
import { discover } from "./discover.ts"
import { doctor } from "./doctor.ts"
import { events } from "./events.ts"
import { explain } from "./explain.ts"
import { exportNow } from "./export.ts"
import { history } from "./history.ts"
import { lake } from "./lake.ts"
import { ledger } from "./ledger.ts"
import { login } from "./login.ts"
import { erase } from "./erase.ts"
import { migrate } from "./migrate.ts"
import { move } from "./move.ts"
import { principal } from "./principal.ts"
import { publish } from "./publish.ts"
import { quarantine } from "./quarantine.ts"
import { query } from "./query.ts"
import { rebuild } from "./rebuild.ts"
import { record } from "./record.ts"
import { records } from "./records.ts"
import { redeliver } from "./redeliver.ts"
import { replay } from "./replay.ts"
import { report } from "./report.ts"
import { restore } from "./restore.ts"
import { sandbox } from "./sandbox.ts"
import { secret } from "./secret.ts"
import { settings } from "./settings.ts"
import { start } from "./start.ts"
import { status } from "./status.ts"
import { tables } from "./tables.ts"
import { walks } from "./walks.ts"

export const siteledger = Command.make("siteledger").pipe(
  Command.withDescription(
    "Copies a construction service into DuckDB or PostgreSQL, ordered and lossless.\n\n" +
      "  Configured by environment variables; config/example.env lists them. A verb goes through the running worker; " +
      "if there is none, it takes the lock itself. Data goes to stdout, everything else to stderr.\n" +
      "  Exit codes: 0 done, 1 failed, 2 usage or configuration."
  ),
  Command.withSubcommands([
    start,
    demo,
    sandbox,
    login,
    status,
    dashboard,
    events,
    delivery,
    history,
    walks,
    doctor,
    settings,
    discover,
    ledger,
    explain,
    tables,
    records,
    record,
    query,
    report,
    exportNow,
    lake,
    publish,
    quarantine,
    replay,
    rebuild,
    secret,
    principal,
    backup,
    restore,
    redeliver,
    migrate,
    move,
    erase
  ])
)

/** Every verb with its flags, for reading. */
export const tree: Command.Command.Any = siteledger

/** Run until they are stopped. */
export const endless = [start, demo, sandbox]
