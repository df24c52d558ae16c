/**
 * `siteledger sandbox`: a stand-in for the service of the interface document, for development before any credentials
 * exist. A worker's configuration for it is printed on stdout, as lines for a shell or as JSON.
 */
import { Console, Duration, Effect, Option, Runtime, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as CatalogueFaults from "../sandbox/Catalogue/Faults.ts"
import { resourceNames } from "../sandbox/Catalogue/Areas.ts"
import * as Faults from "../sandbox/Faults.ts"
import * as Clients from "../sandbox/OAuth/Clients.ts"
import { administrator } from "../sandbox/OAuth/Consents.ts"
import { Sandbox, type SandboxOptions } from "../sandbox/Sandbox.ts"
import { allScopes } from "../sandbox/Scopes.ts"
import * as Scenario from "../sandbox/Scenario.ts"
import { whyNot } from "../src/Runtime/SystemFailure.ts"
import { highestPort, json, toggle, whole, wholeOr } from "./Options.ts"
import * as Print from "./Print.ts"

class SandboxError extends Schema.TaggedError<SandboxError>()("SandboxError", { message: Schema.String }) {}

class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

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

type ResourceFault = readonly [resource: string, fault: CatalogueFaults.FaultName]

const readResourceFault = (text: string): Option.Option<ResourceFault> => {
  const [, name = "", fault = ""] = /^([^=]*)=(\S+)$/.exec(text) ?? []
  const isGood = CatalogueFaults.isFaultName(fault) && CatalogueFaults.mayFail(resourceNames(), name)
  return isGood ? Option.some([name, fault]) : Option.none()
}

const resourceFaultWanted = `RESOURCE=FAULT, where FAULT is one of ${CatalogueFaults.names.join(", ")}`

const ready = Clients.make({
  clientId: "sandbox",
  clientSecret: "sandbox-secret",
  redirectUris: [],
  plan: 600,
  scopes: allScopes
})

const description = [
  "Run a stand-in for the service.",
  "Its OAuth clients:",
  ...[...ready.values()].map((client) => `- ${Clients.describe(client)}`),
  `Consent is given by ${administrator.username} with the password ${administrator.password}.`
].join("\n  ")

const isOrigin = (text: string): boolean => text === "*" || URL.parse(text)?.origin === text

const flags = {
  port: wholeOr(8090, "port", "Port on 127.0.0.1; 0 takes a free one", { most: highestPort }),
  projects: whole("projects", "Number of projects (default 700)").pipe(Flag.optional),
  seed: whole("seed", "The same seed gives the same projects and event contents (default 1)").pipe(Flag.optional),
  identity: Flag.String("identity").pipe(
    Flag.withDescription("The same text gives the same event ids, secrets and delivery ids (default: random)"),
    Flag.filter(
      (text) => text !== "",
      () => "a text"
    ),
    Flag.optional
  ),
  state: Flag.Path("state").pipe(
    Flag.withDescription("Keep ids, subscriptions, secrets, events and failed deliveries in this file across restarts"),
    Flag.optional
  ),
  plan: Flag.Literals("plan", ["600", "3000", "none"]).pipe(
    Flag.withDescription("Requests per minute (default 600)"),
    Flag.withDefault("600")
  ),
  pageSizeMax: wholeOr(1000, "page-size-max", "Largest page size granted", { least: 1 }),
  eventsPerSecond: whole("events-per-second", "Events per second (default 5)").pipe(Flag.optional),
  largeAmounts: toggle(
    "large-amounts",
    "Make one amount in thirty larger than any double can hold, to test that money stays exact"
  ),
  timeScale: wholeOr(1, "time-scale", "Compresses the retry schedule; 3600 makes a day last 24 seconds", { least: 1 }),
  tokenSeconds: wholeOr(3600, "token-seconds", "Lifetime of an access token", { least: 1 }),
  basicOnly: toggle("basic-only", "Take a client's secret only by HTTP Basic (RFC 6749 §2.3.1), not in the form"),
  faults: Flag.String("fault").pipe(
    Flag.withDescription(`NAME=VALUE, repeatable; NAME is one of ${Faults.names.join(", ")}`),
    Flag.filterMap(readFault, faultWanted),
    Flag.atLeast(0)
  ),
  openapi: Flag.Literals("openapi", ["small", "full"]).pipe(
    Flag.withDescription(
      "full: serve 854 operations on 120 resources, made up from the seed. A client learns of them only from /v1/openapi.json (default small)"
    ),
    Flag.withDefault("small")
  ),
  records: whole("records", "With --openapi full: records of each resource that it adds (default 25)", {
    most: 100_000
  }).pipe(Flag.optional),
  resourceFaults: Flag.String("resource-fault").pipe(
    Flag.withDescription(`With --openapi full: ${resourceFaultWanted}; repeatable`),
    Flag.filterMap(readResourceFault, () => resourceFaultWanted),
    Flag.atLeast(0)
  ),
  scenario: Flag.File("scenario").pipe(
    Flag.withDescription("Play this file; it replaces --seed, --projects, --time-scale and --events-per-second"),
    Flag.optional
  ),
  v2: toggle("v2", "Serve /v2 beside /v1: other field names, other envelopes, to rehearse a migration"),
  rateLimitHeaders: toggle("rate-limit-headers", "Send RateLimit and RateLimit-Policy with every counted answer"),
  cors: Flag.String("cors").pipe(
    Flag.withDescription("An origin whose web pages may use the API, repeatable; * allows any"),
    Flag.filter(isOrigin, () => "an origin such as http://localhost:3000, or *"),
    Flag.atLeast(0)
  ),
  redirectUris: Flag.String("redirect-uri").pipe(
    Flag.withDescription("Another redirect URI for the OAuth clients, repeatable"),
    Flag.filter(URL.canParse, () => "an absolute address"),
    Flag.atLeast(0)
  ),
  maxEvents: whole("max-events", "Stop after this many events").pipe(Flag.optional),
  json
}

type Given = Command.Command.Config.Infer<typeof flags>

/** Options that aren't given come from the state file, or else are the sandbox's defaults. */
const optionsOf = (given: Given): SandboxOptions => {
  const { eventsPerSecond, faults, identity, maxEvents, plan, projects, records, redirectUris, ...rest } = given
  const { json: _json, largeAmounts, resourceFaults, seed, state, ...others } = rest
  return {
    ...others,
    // If it isn't given, the state file's value is used.
    largeAmounts: largeAmounts || undefined,
    records: Option.getOrUndefined(records),
    resourceFaults: Object.fromEntries(resourceFaults),
    seed: Option.getOrUndefined(seed),
    identity: Option.getOrUndefined(identity),
    projects: Option.getOrUndefined(projects),
    eventsPerSecond: Option.getOrUndefined(eventsPerSecond),
    maxEvents: Option.getOrUndefined(maxEvents),
    redirectUris: redirectUris.length > 0 ? redirectUris : undefined,
    statePath: Option.getOrUndefined(state),
    faults: Object.fromEntries(faults),
    plan: plan === "none" ? Number.POSITIVE_INFINITY : Number(plan)
  }
}

/** For a worker beside it, which takes deliveries at the usual place unless told otherwise. */
const configuration = ({ authUrl, baseUrl, options }: Sandbox) => ({
  SITELEDGER_BASE_URL: baseUrl,
  SITELEDGER_AUTH_URL: authUrl,
  SITELEDGER_CLIENT_ID: options.clientId,
  SITELEDGER_CLIENT_SECRET: options.clientSecret,
  SITELEDGER_WEBHOOK_URL: "http://127.0.0.1:8080/webhooks"
})

/** For pasting into a shell; none of the values needs quotes. */
const exports = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `export ${name}=${value}`)
    .join("\n")

/** A scenario begins with the first subscription, which a state file may already have. */
const complaint = ({ scenario, state }: Given): string | undefined =>
  Option.isSome(scenario) && Option.isSome(state) ? "Give --scenario or --state, not both." : undefined

export const sandbox = Command.make("sandbox", flags, (given) =>
  Effect.gen(function* () {
    const wrong = complaint(given)
    if (wrong !== undefined) return yield* new UsageError({ message: wrong })
    const scenario = Option.isSome(given.scenario) ? yield* Scenario.read(given.scenario.value) : undefined
    const played = scenario === undefined ? {} : Scenario.options(scenario)
    const service = yield* Sandbox.start({ ...optionsOf(given), ...played })
    yield* given.json ? Print.document(configuration(service)) : Console.log(exports(configuration(service)))
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
      const message = `The sandbox can't listen on 127.0.0.1:${given.port} (--port): ${whyNot(cause)}.`
      return new SandboxError({ message })
    })
  )
).pipe(
  Command.withDescription(description),
  Command.withExamples([
    {
      command: "siteledger sandbox --projects 1000000 --fault duplicate=0.3 --fault error-503=0.1",
      description: "A large service that misbehaves"
    },
    {
      command: "siteledger sandbox --scenario sandbox/scenarios/two-day-outage.json",
      description: "A scripted two days"
    }
  ]),
  Command.withShortDescription("Run a stand-in for the service")
)
