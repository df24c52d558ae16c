/**
 * `siteledger sandbox`: a stand-in for the service of the interface document, to develop against before any credentials
 * exist. A worker's configuration for it is printed as one JSON line on stdout.
 */
import { Console, Duration, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as Faults from "../sandbox/Faults.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as Scenario from "../sandbox/Scenario.ts"
import { whyNot } from "../src/Runtime/SystemFailure.ts"
import * as Json from "../src/Domain/Json.ts"
import { eventsPerSecond, highestPort, projects, whole, wholeOr } from "./Options.ts"

class SandboxError extends Schema.TaggedError<SandboxError>()("SandboxError", { message: Schema.String }) {}

type Fault = readonly [name: Faults.FaultName, value: number]

const readFault = (text: string): Option.Option<Fault> => {
  const [, name = "", value = ""] = /^([^=]*)=(\S+)$/.exec(text) ?? []
  const isGood = Faults.isFaultName(name) && Faults.complaint(name, Number(value)) === undefined
  return isGood ? Option.some([name, Number(value)]) : Option.none()
}

const faultWanted = (text: string): string => {
  const [name = ""] = text.split("=")
  if (Faults.isFaultName(name)) return Faults.complaint(name, Number.NaN) ?? name
  return `NAME=VALUE, where NAME is one of ${Faults.names.join(", ")}`
}

const flags = {
  port: wholeOr(8090, "port", "Port on 127.0.0.1; 0 takes a free one", { most: highestPort }),
  projects: projects(700),
  seed: wholeOr(1, "seed", "The same seed gives the same projects and events"),
  plan: Flag.Literals("plan", ["600", "3000", "none"]).pipe(
    Flag.withDescription("Requests per minute (default 600)"),
    Flag.withDefault("600")
  ),
  pageSizeMax: wholeOr(1000, "page-size-max", "Largest page size granted", { least: 1 }),
  eventsPerSecond: eventsPerSecond(5),
  timeScale: wholeOr(1, "time-scale", "Compresses the retry schedule; 3600 makes a day last 24 seconds", { least: 1 }),
  tokenSeconds: wholeOr(3600, "token-seconds", "Lifetime of an access token", { least: 1 }),
  faults: Flag.String("fault").pipe(
    Flag.withDescription(`NAME=VALUE, repeatable; NAME is one of ${Faults.names.join(", ")}`),
    Flag.filterMap(readFault, faultWanted),
    Flag.atLeast(0)
  ),
  scenario: Flag.File("scenario").pipe(
    Flag.withDescription("Play this file; it replaces --seed, --projects, --time-scale and --events-per-second"),
    Flag.optional
  ),
  maxEvents: whole("max-events", "Stop after this many events").pipe(Flag.optional)
}

export const sandbox = Command.make("sandbox", flags, ({ faults, maxEvents, plan, scenario: file, ...options }) =>
  Effect.gen(function* () {
    const scenario = Option.isSome(file) ? yield* Scenario.read(file.value) : undefined
    const service = yield* Sandbox.start({
      ...options,
      faults: Object.fromEntries(faults),
      ...(scenario === undefined ? {} : Scenario.options(scenario)),
      plan: plan === "none" ? Number.POSITIVE_INFINITY : Number(plan),
      ...Option.match(maxEvents, { onNone: () => ({}), onSome: (most) => ({ maxEvents: most }) })
    })
    yield* Console.log(
      Json.stringify({
        SITELEDGER_BASE_URL: service.baseUrl,
        SITELEDGER_AUTH_URL: service.authUrl,
        SITELEDGER_CLIENT_ID: service.options.clientId,
        SITELEDGER_CLIENT_SECRET: service.options.clientSecret
      })
    )
    yield* Console.error(`The sandbox is running; its administration is at ${service.adminUrl}. Ctrl-C ends it.`)
    if (scenario !== undefined) {
      yield* Console.error("The scenario begins with the first subscription.")
      const isStopped = yield* Scenario.play(service, scenario)
      yield* Console.error("The scenario has been played.")
      if (isStopped) return
    }
    return yield* Effect.sleep(Duration.infinity)
  }).pipe(
    Effect.scoped,
    Effect.catchTag("ServeError", ({ cause }) => {
      const message = `The sandbox can't listen on 127.0.0.1:${options.port} (--port): ${whyNot(cause)}.`
      return new SandboxError({ message })
    })
  )
).pipe(Command.withDescription("Run a stand-in for the service"))
