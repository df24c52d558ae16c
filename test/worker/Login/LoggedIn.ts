/**
 * A worker that reads on a person's behalf: the stand-in service behind a guard that accepts only logins, and the person
 * at the terminal, whose browser is played by fetch.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { AuthServer, mark, type Upstream } from "../../connectors/ConstructionAuth/AuthServer.ts"
import type { AuthSettings } from "../../connectors/ConstructionAuth/AuthSettings.ts"
import type { InterfaceServer, InterfaceServerOptions } from "../../InterfaceServer.ts"
import { type Environment, type Finished, launch, until } from "../../RunningWorker.ts"
import { filesHolding } from "../../Marked.ts"
import { World } from "../World.ts"

const tokenOf = async ({ authUrl, settings }: InterfaceServer): Promise<string> => {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: settings.clientId,
    client_secret: settings.clientSecret
  })
  const answer = await fetch(`${authUrl}/oauth/token`, { method: "POST", body })
  return String(((await answer.json()) as { readonly access_token: string }).access_token)
}

/** The stand-in service behind a guard, which needs one token of it. */
export const upstreamOf = (server: InterfaceServer): Upstream => {
  const token = tokenOf(server)
  return { origin: new URL(server.baseUrl).origin, token: () => token }
}

export interface Guarded extends AsyncDisposable {
  readonly auth: AuthServer
  readonly world: World
}

export const guarded = async (
  settings: Partial<AuthSettings> = {},
  options: InterfaceServerOptions = {},
  extra: Environment = {}
): Promise<Guarded> => {
  const auth = await AuthServer.start(settings)
  const world = await World.open(options, {
    SITELEDGER_BASE_URL: auth.baseUrl,
    SITELEDGER_AUTH_URL: auth.authUrl,
    SITELEDGER_CLIENT_ID: auth.settings.clientId,
    SITELEDGER_CLIENT_SECRET: "",
    SITELEDGER_WALK_EVERY: "300 millis",
    ...extra
  })
  auth.upstream = upstreamOf(world.server)
  return {
    auth,
    world,
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]()
      await auth[Symbol.asyncDispose]()
    }
  }
}

/** `siteledger login`; `consent` is what the person does with the address, up to the last redirect. */
export const logIn = async (
  environment: Environment,
  consent: (url: string) => Promise<string> = followed
): Promise<Finished & { readonly page: string }> => {
  const { child, output } = launch(environment, "login", "--no-browser")
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  const url = await until("the address is printed", async () => {
    if (child.exitCode !== null) throw new Error(output.stderr)
    return /^(http\S+)\n/m.exec(output.stdout)?.[1]
  })
  const page = await (await fetch(await consent(url))).text()
  const [code, signal] = await ended
  return { code, signal, page, ...output }
}

/** The guard consents to everything at once. */
const followed = async (url: string): Promise<string> => {
  const answer = await fetch(url, { redirect: "manual" })
  return answer.headers.get("location") ?? ""
}

/** A telemetry collector that keeps everything sent to it. */
export const collector = async () => {
  const bodies: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += String(chunk)))
    request.on("end", () => {
      bodies.push(body)
      response.end("{}")
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp",
      OTEL_METRICS_EXPORTER: "otlp"
    },
    text: () => bodies.join("\n"),
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

/** Those that hold a marked secret. */
export const markedFiles = (folder: string): ReadonlyArray<string> => filesHolding(folder, mark)
