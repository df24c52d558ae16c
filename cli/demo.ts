/**
 * `siteledger demo` (`npm start`): the sandbox and the worker in one process, over real HTTP, with their own data in
 * ./data/demo. After a kill, the next start continues where it stopped.
 */
import { existsSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { createServer } from "node:net"
import { ConfigProvider, Duration, Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { isolated } from "../config/Environment.ts"
import * as Settings from "../config/Settings.ts"
import { publishedPath } from "../pipelines/nightly.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as Json from "../src/Domain/Json.ts"
import { ownUser } from "../src/Operate/Admin/Caller.ts"
import { Sessions } from "../src/Operate/Dashboard/Sessions.ts"
import { addressOf } from "./dashboard.ts"
import { display } from "./Display.ts"
import * as Log from "./Log.ts"
import { highestPort, wholeOr } from "./Options.ts"
import { runWorker } from "./Worker.ts"

export class DemoError extends Schema.TaggedError<DemoError>()("DemoError", { message: Schema.String }) {}

const flags = {
  // Clear of the ports of developers' usual tools and of ephemeral ports.
  ports: wholeOr(27_100, "ports", "First of three consecutive ports to use", { least: 1, most: highestPort - 2 }),
  projects: wholeOr(25_000, "projects", "Number of projects"),
  eventsPerSecond: wholeOr(20, "events-per-second", "Events per second"),
  dataDir: Flag.String("data-dir").pipe(
    Flag.withDescription("Where the demo keeps its data (default data/demo)"),
    Flag.withDefault("data/demo")
  )
}

interface Ports {
  readonly sandbox: number
  readonly webhooks: number
  readonly admin: number
}

const isFree = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const probe = createServer()
    probe.once("error", () => resume(Effect.succeed(false)))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resume(Effect.succeed(true))))
  })

const checkPorts = Effect.fnUntraced(function* (ports: Ports) {
  for (const [name, port] of Object.entries(ports)) {
    if (yield* isFree(port)) continue
    yield* new DemoError({
      message: `Port ${port} (${name}) is in use. Is another demo running? Stop it first, or choose other ports with --ports.`
    })
  }
})

/** Whether the saved simulation has different options, so that it can't continue. */
const hasOtherOptions = (statePath: string, projects: number, eventsPerSecond: number): boolean => {
  if (!existsSync(statePath)) return false
  const state = Json.parse(readFileSync(statePath, "utf8"))
  const options = Json.isObject(state) ? state["options"] : undefined
  if (!Json.isObject(options)) return true
  return options["projects"] !== projects || options["microsPerStep"] !== Math.floor(1_000_000 / eventsPerSecond)
}

const otherDemo = (dataDir: string) =>
  new DemoError({
    message:
      `${dataDir} holds a demo with other options (--projects, --events-per-second). ` +
      `Use the same options, choose another --data-dir, or delete it.`
  })

/** The worker's environment: as for a real service, but at a scale that can be watched. */
const environment = (sandbox: Sandbox, ports: Ports, dataDir: string): Record<string, string> => ({
  SITELEDGER_BASE_URL: sandbox.baseUrl,
  SITELEDGER_AUTH_URL: sandbox.authUrl,
  SITELEDGER_CLIENT_ID: sandbox.options.clientId,
  SITELEDGER_CLIENT_SECRET: sandbox.options.clientSecret,
  SITELEDGER_SCOPES: "projects.read webhooks.write",
  SITELEDGER_WALK_EVERY: "15 seconds",
  SITELEDGER_WEBHOOK_URL: `http://127.0.0.1:${ports.webhooks}/webhooks`,
  SITELEDGER_WEBHOOK_LISTEN: `127.0.0.1:${ports.webhooks}`,
  SITELEDGER_ADMIN_LISTEN: `127.0.0.1:${ports.admin}`,
  SITELEDGER_DATA_DIR: dataDir,
  SITELEDGER_EXPORT_CRON: "* * * * *",
  SITELEDGER_LAKE_KEEP: "10",
  SITELEDGER_LAKE_KEEP_FOR: "10 minutes",
  SITELEDGER_LEDGER_CURRENCY: "EUR",
  LOG_LEVEL: process.stderr.isTTY ? "Error" : "Warn"
})

/** A demo's link waits for a person who reads first. */
const linkFor = Duration.days(1)

/** The path as one would type it here. */
const near = (path: string): string => {
  const from = relative(process.cwd(), path)
  return from.startsWith("..") ? path : from || "."
}

/** Otherwise it is a copy of the sources. */
const isPackage = import.meta.url.includes("/node_modules/siteledger/")

/** At most 80 columns if the folder's path is short. A query of several lines can be pasted unchanged. */
const welcome = (dataDir: string, ports: Ports, adminUrl: string, code: string) => {
  const folder = near(dataDir)
  const program = isPackage ? "npx siteledger" : "bin/siteledger"
  return (style: { readonly bold: (text: string) => string }): ReadonlyArray<string> => [
    style.bold("The copy is complete, and events keep it current. Try, in another terminal:"),
    `  export SITELEDGER_DATA_DIR=${folder}`,
    `  ${program} query "select month, currency, sum(ipcs_paid) as paid,`,
    `    sum(certified_amount) as amount from construction.cashflow_by_month`,
    `    group by all order by all"`,
    `  ${program} ledger list`,
    `  ${program} status`,
    style.bold("And look at"),
    `  ${addressOf(`http://127.0.0.1:${ports.admin}`, code)}`,
    "    the dashboard; the link signs you in, once",
    `  ${adminUrl}   the service's side, in a browser`,
    `  http://127.0.0.1:${ports.admin}/status  the worker, as JSON; /metrics`,
    `  ${near(publishedPath(dataDir))}  for DuckDB; fresh within a minute`,
    `  ${folder}/lake/latest.json  Parquet; an export each minute (else nightly)`,
    style.bold("Kill it (even with kill -9) and start it again: nothing is lost. Ctrl-C ends it.")
  ]
}

export const demo = Command.make("demo", flags, ({ dataDir: folder, eventsPerSecond, ports: first, projects }) =>
  Effect.gen(function* () {
    const dataDir = resolve(folder)
    const ports: Ports = { sandbox: first, webhooks: first + 1, admin: first + 2 }
    yield* checkPorts(ports)
    const statePath = join(dataDir, "sandbox.json")
    if (hasOtherOptions(statePath, projects, eventsPerSecond)) return yield* otherDemo(dataDir)
    const sandbox = yield* Sandbox.start({
      port: ports.sandbox,
      projects,
      eventsPerSecond,
      pageSizeMax: 200,
      stepsPerProjectChange: 40,
      timeScale: 60,
      // So that there is a year of data to look at.
      pastDays: 335,
      pastEvents: 90 * eventsPerSecond,
      statePath
    })
    const provider = isolated(environment(sandbox, ports, dataDir))
    const settings = Log.layer.pipe(
      Layer.provideMerge(Settings.layerAll),
      Layer.provide(ConfigProvider.layer(provider))
    )
    const shown = Effect.gen(function* () {
      const { secret } = yield* (yield* Sessions).code(yield* ownUser, linkFor)
      return yield* display(welcome(dataDir, ports, sandbox.adminUrl, secret))
    })
    return yield* runWorker(shown).pipe(Effect.provide(settings))
  }).pipe(Effect.scoped)
).pipe(
  Command.withDescription("Run the sandbox and the worker in one process, to see everything at work"),
  Command.withExamples([
    { command: "siteledger demo", description: "See it all at work, in ./data/demo" },
    {
      command: "siteledger demo --projects 100000 --events-per-second 200 --data-dir data/large",
      description: "A larger one, beside it"
    }
  ])
)
