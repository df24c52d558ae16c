/**
 * `siteledger sandbox`: the service of the interface document, runnable, to develop against before any credentials
 * exist. What to configure a worker with comes as one JSON line on stdout.
 */
import { Console, Duration, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import * as Json from "../Json.ts"

const count = (name: string, what: string, standard: number) =>
  Flag.Int(name).pipe(Flag.withDescription(what), Flag.withDefault(standard))

const flags = {
  port: count("port", "Where it listens on 127.0.0.1; 0 takes a free one", 8090),
  projects: count("projects", "How many projects it lists", 700),
  seed: count("seed", "The same seed gives the same projects and events", 1),
  plan: Flag.Literals("plan", ["600", "3000", "none"]).pipe(
    Flag.withDescription("Requests per minute"),
    Flag.withDefault("600")
  ),
  pageSizeMax: count("page-size-max", "The largest page it grants", 1000),
  eventsPerSecond: count("events-per-second", "How fast lives go by", 5),
  timeScale: count("time-scale", "Compresses the retry schedule; 3600 makes a day last 24 seconds", 1),
  tokenSeconds: count("token-seconds", "The life of an access token", 3600),
  maxEvents: Flag.Int("max-events").pipe(Flag.withDescription("Stop after so many events"), Flag.optional)
}

export const sandbox = Command.make("sandbox", flags, ({ maxEvents, plan, ...options }) =>
  Effect.gen(function* () {
    const service = yield* Sandbox.start({
      ...options,
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
    yield* Console.error("The sandbox is running. Ctrl-C ends it.")
    return yield* Effect.sleep(Duration.infinity)
  }).pipe(Effect.scoped)
).pipe(Command.withDescription("Run a stand-in for the service"))
