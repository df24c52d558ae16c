/**
 * The life of a worker in its log: what it starts with, when everything runs, why it stops, and when it has stopped.
 */
import { hostname } from "node:os"
import { Cause, Clock, Duration, Effect, Exit, Option } from "effect"
import { ServiceSettings, Settings } from "../../config/Settings.ts"
import { Receiver } from "../../src/Intake/Receiver.ts"
import { shownUrl } from "../../src/Intake/Subscription.ts"
import { Lake } from "../../src/Lake/Lake.ts"
import { readNote } from "../../src/Runtime/Lock.ts"
import * as LogLine from "../../src/Runtime/LogLine.ts"
import { version } from "../../src/Runtime/Program.ts"
import { shownEngine } from "../../src/Stores/Engine.ts"

const signals = ["SIGTERM", "SIGINT"] as const

const starting = Effect.gen(function* () {
  const settings = yield* Settings
  const { dataDir, warnings } = settings
  const { engine } = shownEngine(settings)
  yield* LogLine.write("worker.starting", {
    version,
    host: hostname(),
    pid: process.pid,
    node: process.versions.node,
    engine,
    data_dir: dataDir
  })
  for (const why of warnings) yield* LogLine.write("setting.odd", { why })
})

/** Called when all pipelines run. */
export const started = Effect.fnUntraced(function* (lasted: Duration.Duration) {
  const settings = yield* Settings
  const { baseUrl, requestsPerMinute, webhookListen, webhookUrl } = yield* ServiceSettings
  const { port } = yield* (yield* Receiver).status
  const note = Option.getOrUndefined(readNote(settings.dataDir))
  yield* LogLine.write("worker.started", {
    version,
    ...shownEngine(settings),
    service: baseUrl.href,
    requests_per_minute: requestsPerMinute,
    callback: shownUrl(webhookUrl),
    receiver: `${webhookListen.host}:${port}`,
    admin: note?.admin ?? `${settings.adminListen.host}:${settings.adminListen.port}`,
    lake: (yield* Lake).name,
    seconds: LogLine.seconds(lasted)
  })
})

/** Logs at once which signal stops the worker; this ends with the scope. */
const signalled = Effect.gen(function* () {
  const runSync = Effect.runSyncWith(yield* Effect.context<never>())
  const told: { atMs?: number } = {}
  const hear = (signal: NodeJS.Signals): void => {
    const said = Effect.andThen(LogLine.write("worker.stopping", { why: signal }), Clock.currentTimeMillis)
    told.atMs ??= runSync(said)
  }
  yield* Effect.acquireRelease(
    // Prepended to the listeners that stop the worker.
    Effect.sync(() => signals.forEach((signal) => process.prependListener(signal, hear))),
    () => Effect.sync(() => signals.forEach((signal) => process.removeListener(signal, hear)))
  )
  return told
})

/** A worker's whole life. */
export const told = <A, E, R>(worker: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const stopping = yield* signalled
    yield* starting
    const ended = Effect.fnUntraced(function* (exit: Exit.Exit<A, E>) {
      const nowMs = yield* Clock.currentTimeMillis
      if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) {
        const seconds = LogLine.seconds(Duration.millis(nowMs - (stopping.atMs ?? nowMs)))
        return yield* LogLine.write("worker.stopped", { seconds })
      }
      const error = Cause.squash(exit.cause)
      yield* LogLine.write("worker.failed", { why: error instanceof Error ? error.message : String(error) })
    })
    return yield* Effect.onExit(worker, ended)
  }).pipe(Effect.scoped)
