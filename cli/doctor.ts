/**
 * `siteledger doctor`: checks everything that can be checked without changing anything, one line each, even while a
 * worker runs or things are down. Exits with 0 if nothing failed. With `--payload FILE`, only reports what a sample
 * says.
 */
import { Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { service } from "../connectors/construction/ConstructionDoctor.ts"
import * as Doctor from "../src/Operate/Doctor.ts"
import { backup } from "../src/Operate/Doctor/Backup.ts"
import { VerbError } from "../src/Operate/AdminApi/Verb.ts"
import { bucket } from "../src/Operate/Doctor/Bucket.ts"
import * as Embedded from "../src/Operate/Doctor/Embedded.ts"
import * as Machine from "../src/Operate/Doctor/Machine.ts"
import { rights } from "../src/Operate/Doctor/Rights.ts"
import { server } from "../src/Operate/Doctor/Server.ts"
import { isHeld } from "../src/Runtime/Lock.ts"
import { byEngine } from "../src/Stores/Engine.ts"
import { publishedPath } from "../pipelines/nightly.ts"
import { instead, ownWorker, report, running, throughWorker } from "./Ask.ts"
import { payload } from "./doctor/payload.ts"
import { json, optionalText, toggle } from "./Options.ts"
import * as Print from "./Print.ts"

/** The findings have been printed. */
class DoctorFailed extends Schema.TaggedError<DoctorFailed>()("DoctorFailed", { message: Schema.String }) {}

const { examine, examineAll, fail, ok, warn } = Doctor

const samplePath = optionalText(
  "payload",
  "Only show how this sample of a delivery, a list page or a new subscription's answer is read (- for stdin)"
)

const flags = {
  payload: samplePath,
  worker: toggle("worker", "Check on the machine of the running worker (SITELEDGER_WORKER_URL), with its settings"),
  json
}

const noWorker = new VerbError({ message: "No worker is running: `siteledger doctor` alone checks this machine." })

/** What the running worker's own program finds. */
const there = Effect.gen(function* () {
  const asked = yield* running
  if (Option.isNone(asked)) return yield* noWorker
  const { findings } = yield* Effect.catchTag(
    throughWorker(asked.value, "doctor", {}),
    "Unanswered",
    instead(asked.value, noWorker)
  )
  return findings
}).pipe(Effect.provide(Settings.layer))

export const doctor = Command.make("doctor", flags, ({ json: asJson, payload: path, worker: isThere }) =>
  Effect.gen(function* () {
    if (Option.isSome(path)) return yield* payload(path.value, asJson)
    const findings = isThere ? yield* there : yield* everything
    const failed = findings.filter(({ verdict }) => verdict === "fail").length
    if (asJson) yield* Print.document({ ok: failed === 0, findings })
    else yield* Console.log(findings.map(Doctor.line).join("\n"))
    if (failed === 0) return
    return yield* new DoctorFailed({ message: failed === 1 ? "1 check failed." : `${failed} checks failed.` })
  })
).pipe(
  Command.withDescription("Check everything that can be checked without changing anything"),
  Command.withExamples([
    { command: "siteledger doctor", description: "Check the configuration and everything that it points to" },
    {
      command: "siteledger doctor --payload sample.json",
      description: "Show how siteledger reads a delivery of the service"
    }
  ])
)

/** If the configuration is invalid, what can still be checked on this machine. */
const everything = Effect.gen(function* () {
  const node = examine("Node", Machine.node)
  const whole = yield* Effect.result(Effect.provide(all, Settings.layerAll))
  if (whole._tag === "Success") {
    const { own, outer } = whole.success
    const known = ok("All required variables are set, and all variables are well-formed.")
    const results = [known, ...own.warnings.map((warning) => warn(warning))]
    const isRunning = isHeld(own.dataDir)
    return yield* examineAll([
      examine("configuration", Effect.succeed(results)),
      node,
      ...here(own, isRunning),
      examine("admin", Machine.listener(own.adminListen, "SITELEDGER_ADMIN_LISTEN", isRunning)),
      examine("receiver", Machine.listener(outer.webhookListen, "SITELEDGER_WEBHOOK_LISTEN", isRunning)),
      Effect.provide(service, Settings.layerAll).pipe(Effect.orDie)
    ])
  }
  const { problems } = whole.failure
  const results = problems.map(({ sentence, variable }) => fail(`${variable} ${sentence}`))
  const own = yield* Effect.result(Effect.provide(Settings.Settings, Settings.layer))
  return yield* examineAll([
    examine("configuration", Effect.succeed(results)),
    node,
    ...(own._tag === "Success" ? here(own.success, isHeld(own.success.dataDir)) : [])
  ])
})

const all = Effect.all({ own: Settings.Settings, outer: Settings.ServiceSettings })

const here = (settings: Settings.Settings["Service"], isRunning: boolean) => {
  const { dataDir, lake } = settings
  return [
    examine("data directory", Machine.folder(dataDir, "SITELEDGER_DATA_DIR")),
    examine("rights", rights(dataDir, ownFiles(settings), [publishedPath(dataDir), lakeFolder(settings)])),
    examine("key", Machine.key(settings)),
    examine("worker", isRunning ? worker : Effect.succeed(alone)),
    ...byEngine(settings, {
      embedded: ({ store, warehouse }) => [
        examine("store", Embedded.store(store)),
        examine("warehouse", isRunning ? inUse : Embedded.warehouse(warehouse, store)),
        examine(
          "secrets",
          Effect.suspend(() => Machine.secrets(settings, Embedded.sealedSecrets(store)))
        )
      ],
      server: (url) => [server(url, (sealed) => Machine.secrets(settings, sealed))]
    }),
    examine("lake", lake.kind === "s3" ? bucket(lake) : Machine.folder(lake.path, "SITELEDGER_LAKE")),
    ...offMachine(settings)
  ].map(Effect.provideService(Settings.Settings, settings))
}

const offMachine = (settings: Settings.Settings["Service"]) =>
  Option.match(Option.all({ address: settings.backup, key: settings.backupKey }), {
    onNone: () => [],
    onSome: (given) => [
      examine(
        "backup",
        byEngine(settings, {
          embedded: ({ store }) => backup(given, store),
          server: () => Effect.succeed(fail("SITELEDGER_BACKUP can't be used with PostgreSQL.", "Leave it out."))
        })
      )
    ]
  })

/** Files outside the data directory. */
const ownFiles = (settings: Settings.Settings["Service"]): ReadonlyArray<string> =>
  byEngine(settings, { embedded: ({ warehouse }) => [warehouse, `${warehouse}.wal`], server: () => [] })

const lakeFolder = ({ lake }: Settings.Settings["Service"]): string => (lake.kind === "s3" ? "" : lake.path)

const alone = ok("No worker is running on this data directory.")

const inUse = Effect.succeed(ok("The running worker has it open."))

const worker = Effect.gen(function* () {
  const note = yield* ownWorker
  if (Option.isNone(note))
    return warn("A process holds the data directory: a worker that is still starting, or a verb.")
  const { pid } = note.value
  const { phase, reasons } = yield* report(note.value)
  const summary = `The worker with process id ${pid} is running; its phase is ${phase}.`
  if (reasons.length === 0) return ok(summary)
  return [warn(summary), ...reasons.map((reason) => warn(reason))]
})
