/**
 * `siteledger dashboard`: an address of the running worker's dashboard that signs one browser in as the caller. On a
 * desktop it is opened at once.
 */
import { spawn } from "node:child_process"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { hasDesktop } from "../config/Environment.ts"
import { VerbError } from "../src/Operate/AdminApi/Verb.ts"
import * as Ask from "./Ask.ts"
import * as Log from "./Log.ts"
import { json, toggle } from "./Options.ts"
import * as Print from "./Print.ts"

const none = new VerbError({
  message: "The dashboard is served by a running worker, and none is running: `siteledger start` starts one."
})

/** In a fragment, which browsers send to no server, so that it is in no proxy's log. */
export const addressOf = (admin: string, code: string): string => `${admin}/#code=${code}`

/** Opens it in the person's browser if possible. */
const open = (address: string) =>
  Effect.sync(() => {
    const program = process.platform === "darwin" ? "open" : "xdg-open"
    spawn(program, [address], { stdio: "ignore", detached: true })
      .on("error", () => undefined)
      .unref()
  })

const flags = { noOpen: toggle("no-open", "Only print the address"), json }

export const dashboard = Command.make("dashboard", flags, ({ json: asJson, noOpen }) =>
  Effect.gen(function* () {
    const worker = yield* Ask.running
    if (Option.isNone(worker)) return yield* none
    const { code, endsAt } = yield* Effect.catchTag(
      Ask.throughWorker(worker.value, "session-code", {}),
      "Unanswered",
      () => none
    )
    const address = addressOf(worker.value.admin, code)
    if (asJson) return yield* Print.document({ address, endsAt })
    yield* Console.error("This address signs one browser in, once, within two minutes:")
    yield* Console.log(address)
    if (!noOpen && process.stdout.isTTY && hasDesktop()) yield* open(address)
  })
).pipe(
  Command.withDescription("Open the running worker's page, signed in"),
  Command.withExamples([
    { command: "siteledger dashboard", description: "Print the address, and open it in a browser" },
    { command: "siteledger dashboard --no-open", description: "Only print it, for a browser elsewhere" }
  ]),
  Command.provide(Log.layerSettings)
)
