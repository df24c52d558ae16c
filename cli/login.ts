/**
 * `siteledger login`: a person consents in a browser, and the worker then reads on their behalf. The address is printed
 * on stdout, so that it can be opened on any machine whose browser reaches this one.
 *
 * `--status` shows the stored login without secrets; `--forget` revokes and removes it.
 */
import { spawn } from "node:child_process"
import { Console, Effect, Layer } from "effect"
import { CliError, Command } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { LoginFile } from "../connectors/construction/ConstructionAuth/LoginFile.ts"
import { TokenEndpoint } from "../connectors/construction/ConstructionAuth/TokenEndpoint.ts"
import * as ConstructionHttp from "../connectors/construction/ConstructionHttp.ts"
import { describe, forget, logIn, LoginError } from "../connectors/construction/ConstructionLogin.ts"
import { Seal } from "../src/Runtime/Seal.ts"
import * as Log from "./Log.ts"
import { toggle } from "./Options.ts"

const flags = {
  noBrowser: toggle("no-browser", "Print the address without opening a browser"),
  status: toggle("status", "Show who logged in, when, for which scopes, and until when"),
  forget: toggle("forget", "Revoke the login, if the service supports that, and remove it")
}

const local = LoginFile.layer.pipe(
  Layer.provideMerge(TokenEndpoint.layer),
  Layer.provide([Seal.layer, ConstructionHttp.layer]),
  Layer.provideMerge(Log.layer),
  Layer.provideMerge(Settings.layerClient)
)

const show = (noBrowser: boolean) => (url: string) =>
  Effect.gen(function* () {
    yield* Console.error("Open this address in a browser and consent, within 10 minutes:")
    yield* Console.log(url)
    if (!noBrowser) yield* openBrowser(url)
  })

/** The command of each system, taking the address as its last argument; no shell reads it. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...ReadonlyArray<string>]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

/** A convenience: nothing waits for it, and nothing fails without it. */
const openBrowser = (url: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const [command, ...args] = openers[process.platform] ?? ["xdg-open"]
    spawn(command, [...args, url], { stdio: "ignore", detached: true })
      .on("error", () => undefined)
      .unref()
  })

const begin = Effect.fnUntraced(function* (noBrowser: boolean) {
  const { login, missing } = yield* logIn(show(noBrowser))
  yield* Console.error(`Logged in, for ${login.scopes.join(" ") || "what the service grants"}.`)
  if (missing.length > 0) yield* Console.error(`Not granted: ${missing.join(" ")}.`)
  if (login.tokens.refresh === null)
    yield* Console.error("The service gave no refresh token: this login will end soon.")
  yield* Console.error("A running worker uses it from now on.")
})

const showStored = Effect.gen(function* () {
  const { lines, problem } = yield* describe
  yield* Effect.forEach(lines, (line) => Console.log(line), { discard: true })
  if (problem !== undefined) return yield* new LoginError({ message: problem })
})

const statusAndForget = new CliError.UserError({ cause: "--status and --forget are mutually exclusive." })

export const login = Command.make("login", flags, ({ forget: isForget, noBrowser, status }) =>
  Effect.gen(function* () {
    if (isForget && status) return yield* statusAndForget
    if (status) return yield* showStored
    if (isForget) return yield* Effect.flatMap(forget, (sentence) => Console.log(sentence))
    return yield* begin(noBrowser)
  }).pipe(Effect.provide(local))
).pipe(Command.withDescription("Log in as a person; the worker then reads on your behalf"))
