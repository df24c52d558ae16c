/**
 * `siteledger login`: a person consents, and the worker then reads on their behalf. The address that a person must open
 * is printed on stdout.
 *
 * There are three ways: a browser that returns to this machine; `--paste`, for a browser anywhere, whose last address
 * is pasted here; `--device`, for a code that is entered in a browser anywhere. `--status` shows the stored login
 * without secrets; `--forget` revokes and removes it.
 */
import { spawn } from "node:child_process"
import { Console, Duration, Effect, Layer, Option } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { LoginFile } from "../connectors/construction/ConstructionAuth/LoginFile.ts"
import { TokenEndpoint } from "../connectors/construction/ConstructionAuth/TokenEndpoint.ts"
import * as ConstructionHttp from "../connectors/construction/ConstructionHttp.ts"
import { describe, forget, logIn } from "../connectors/construction/ConstructionLogin.ts"
import { logInByDevice, type Shown } from "../connectors/construction/ConstructionLogin/Device.ts"
import { type LoggedIn, LoginError } from "../connectors/construction/ConstructionLogin/Finish.ts"
import { logInByPaste } from "../connectors/construction/ConstructionLogin/Paste.ts"
import { Seal } from "../src/Runtime/Seal.ts"
import * as Log from "./Log.ts"
import { highestPort, pipedLine, toggle, whole } from "./Options.ts"

const flags = {
  noBrowser: toggle("no-browser", "Print the address without opening a browser"),
  port: whole(
    "port",
    "Port on this machine that the browser comes back to (default: that of SITELEDGER_REDIRECT_URI, or a free one)",
    {
      least: 1,
      most: highestPort
    }
  ).pipe(Flag.optional),
  paste: toggle("paste", "The browser is on another machine: paste the address that it ends at"),
  device: toggle("device", "The browser is on another machine: enter a short code there"),
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

const showToPaste = (url: string) =>
  Effect.gen(function* () {
    yield* Console.error("Open this address in a browser on any machine and consent, within 10 minutes:")
    yield* Console.log(url)
    yield* Console.error(
      "The browser then ends at an address that it may not be able to open. Copy that address, paste it"
    )
    yield* Console.error("here and press Enter:")
  })

const showCode = ({ address, completeAddress, lifeMs, userCode }: Shown) =>
  Effect.gen(function* () {
    const life = Duration.format(Duration.seconds(Math.round(lifeMs / 1000)))
    yield* Console.error(`Open this address in a browser on any machine, and enter the code, within ${life}:`)
    yield* Console.log(`${address}\n${userCode}`)
    if (completeAddress === undefined) return
    yield* Console.error("Or open this one and compare the code:")
    yield* Console.log(completeAddress)
  })

/** The command of each system, which takes the address as its last argument; no shell reads it. */
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

const tell = Effect.fnUntraced(function* ({ login, missing }: LoggedIn) {
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

const exclusive = ["paste", "device", "status", "forget"] as const

type Given = Command.Command.Config.Infer<typeof flags>

/** Options that exclude each other. */
const complaint = (given: Given): string | undefined => {
  const [first, second] = exclusive.filter((name) => given[name])
  if (second !== undefined) return `--${first} and --${second} are mutually exclusive.`
  return Option.isSome(given.port) && first !== undefined && first !== "paste"
    ? `--port is for a browser that comes back: not with --${first}.`
    : undefined
}

const act = Effect.fnUntraced(function* (given: Given) {
  if (given.status) return yield* showStored
  if (given.forget) return yield* Effect.flatMap(forget, (sentence) => Console.log(sentence))
  const port = Option.getOrUndefined(given.port)
  if (given.device) return yield* Effect.flatMap(logInByDevice(showCode), tell)
  if (given.paste) return yield* Effect.flatMap(logInByPaste(showToPaste, pipedLine, port), tell)
  return yield* Effect.flatMap(logIn(show(given.noBrowser), port), tell)
})

export const login = Command.make("login", flags, (given) =>
  Effect.gen(function* () {
    const wrong = complaint(given)
    if (wrong !== undefined) return yield* new CliError.UserError({ cause: wrong })
    return yield* Effect.provide(act(given), local)
  })
).pipe(
  Command.withDescription("Log in as a person; the worker then reads on your behalf"),
  Command.withExamples([
    { command: "siteledger login", description: "Consent in this machine's browser" },
    { command: "siteledger login --device", description: "On a server: enter a code in a browser anywhere" }
  ])
)
