/**
 * The stand-in service as a separate process, for tests that kill the product or run it elsewhere: the command line,
 * and the `/control/*` endpoints, through which a test does from outside what it otherwise does with the object. Shares
 * nothing with the product, on purpose.
 */
import { parseArgs } from "node:util"
import type { InterfaceServer, InterfaceServerOptions, Settings } from "../InterfaceServer.ts"
import { apiDefaults, type Fault } from "./Api.ts"
import type { EventInput } from "./Events.ts"
import { webhookDefaults } from "./Webhooks.ts"
import { type Answer, json, parse, refusal } from "./Wire.ts"

/** GET deliveries, subscriptions, requests; POST publish, replay, fail, revoke-tokens. No authentication. */
export const control = (server: InterfaceServer, method: string, path: string, body: Buffer): Answer => {
  const command = (parse(body) ?? {}) as EventInput & { readonly fault: Fault; readonly requests?: number }
  switch (`${method} ${path}`) {
    case "GET /control/deliveries":
      return json(200, server.deliveries)
    case "GET /control/subscriptions":
      return json(200, server.subscriptions)
    case "GET /control/requests":
      return json(200, server.requests)
    case "POST /control/publish":
      return typeof command.type === "string" ? json(202, server.publish(command)) : refusal(422, "type is missing")
    case "POST /control/replay":
      return json(202, server.replay(command.id ?? ""))
    case "POST /control/fail":
      server.fail(command.fault, command.requests)
      return json(200, {})
    case "POST /control/revoke-tokens":
      server.revokeTokens()
      return json(200, {})
    default:
      return refusal(404, "no such path")
  }
}

const number = (value: string | undefined, otherwise: number) => (value === undefined ? otherwise : Number(value))

/** `node test/InterfaceServer.ts --port 0 --projects 700 …`; serves until SIGTERM. */
export const runProgram = async (
  start: (options: InterfaceServerOptions) => Promise<InterfaceServer>
): Promise<void> => {
  const text = { type: "string" } as const
  const { values } = parseArgs({
    options: {
      port: text,
      projects: text,
      ping: text,
      envelope: text,
      "client-id": text,
      "client-secret": text,
      "token-lifetime": text,
      "requests-per-minute": text,
      "time-scale": text
    }
  })
  const server = await start({
    control: true,
    port: number(values.port, 0),
    projects: number(values.projects, 120),
    ping: (values.ping ?? webhookDefaults.ping) as Settings["ping"],
    envelope: (values.envelope ?? webhookDefaults.envelope) as Settings["envelope"],
    clientId: values["client-id"] ?? apiDefaults.clientId,
    clientSecret: values["client-secret"] ?? apiDefaults.clientSecret,
    tokenLifetimeSeconds: number(values["token-lifetime"], apiDefaults.tokenLifetimeSeconds),
    requestsPerMinute: number(values["requests-per-minute"], apiDefaults.requestsPerMinute),
    timeScale: number(values["time-scale"], webhookDefaults.timeScale)
  })
  process.on("SIGTERM", () => void server.close())
  const { authUrl, baseUrl } = server
  process.stdout.write(`${JSON.stringify({ baseUrl, authUrl, pid: process.pid })}\n`)
}
