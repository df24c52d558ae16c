/** What the consumers of the client's package run: the examples of docs/library.md and of the package, and their callers. */
import { readFileSync } from "node:fs"

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

const examples = [...text("docs/library.md").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? "")
const example = (part: string) => {
  const found = examples.find((each) => each.includes(part))
  if (found === undefined) throw new Error(`docs/library.md has no example with ${part}`)
  return found
}

const options = `
const [baseUrl, authUrl, clientId, clientSecret] = JSON.parse(process.env.SERVICE ?? "") as [string, string, string, string]
`

/** Nothing of it may be `any`, which would let every mistake pass. */
const program = `
import { connect, type EventName, ServiceError } from "siteledger-client"
${options}
// @ts-expect-error no such option
connect({ baseUrl, authUrl, clientId, clientSecret, perMinute: 600 })
const client = connect({ baseUrl, authUrl, clientId, clientSecret, pageSize: 100 })
const names: Array<string> = []
for await (const project of client.projects()) {
  // @ts-expect-error what the document doesn't name is unknown
  const budget: number = project.budget
  // @ts-expect-error a name is a string
  const name: number = project.name
  names.push(project.name)
}
// @ts-expect-error no such event type
const unknown: EventName = "ipc.lost"
// @ts-expect-error without a schema, an answer is unknown
const total: number = await client.request("GET", "/projects")
const error = await client.createWebhook({ url: "no address", events: ["ipc.paid"] }).catch((error: unknown) => error)
const stranger = connect({ baseUrl, authUrl, clientId, clientSecret: "another" })
const refused = await stranger.projectPage(1).catch((error: unknown) => error) as ServiceError
const [, line = ""] = refused.stack?.split("\\n") ?? []
const place = /program\\.ts/.exec(line)?.[0]
console.log(names.length, error instanceof ServiceError && error.reason, typeof (await client.token()), refused.reason, "at", place)
`

const typed = `
import { connect, ServiceError } from "siteledger-client"
type paths = import("./paths.ts").paths

const env = process.env as Record<string, string>
const { request } = connect({
  baseUrl: env["SITELEDGER_BASE_URL"]!,
  authUrl: env["SITELEDGER_AUTH_URL"]!,
  clientId: "sandbox",
  clientSecret: "sandbox-secret"
}).typed<paths>()

const { pagination } = await request("GET", "/projects")
const { data: [first] } = await request("GET", "/ipcs")
const ipc = await request("GET", "/ipcs/{id}", { params: { id: first!.ipc_id } })
const status: "created" | "submitted" | "certified" | "paid" = ipc.status
const webhook = await request("POST", "/webhooks", { body: { url: "http://127.0.0.1:9/", events: ["ipc.paid"] } })
const secret: string = webhook.secret
const missing = await request("GET", "/ncrs/{id}", { params: { id: "none" } }).catch((error: unknown) => error)
console.log(pagination.total, pagination.page, ipc.ipc_id, status, secret, missing instanceof ServiceError && missing.status)

export const mistakes = () => [
  // @ts-expect-error no such path
  request("GET", "/ledgers"),
  // @ts-expect-error the path has no such method
  request("DELETE", "/projects"),
  // @ts-expect-error the path needs an id
  request("GET", "/ipcs/{id}"),
  // @ts-expect-error the body needs events
  request("POST", "/webhooks", { body: { url: "https://hooks.test" } }),
  // @ts-expect-error a GET has no body
  request("GET", "/projects", { body: {} }),
  // @ts-expect-error no such parameter
  request("GET", "/projects", { query: { colour: "red" } })
]
// @ts-expect-error no such field
export const budget = ipc.budget
`

const runPromises = `
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"

const example = Promise.withResolvers<typeof import("./promises.ts")>()
const asked = (body: Buffer<ArrayBuffer>, headers: Record<string, string>) =>
  new Request("http://receiver.test", { method: "POST", headers, body: body.toString() })

const receiver = createServer(async (incoming, outgoing) => {
  const { receive } = await example.promise
  const body = Buffer.from(await buffer(incoming))
  const headers = incoming.headers as Record<string, string>
  const { "content-length": _length, ...same } = headers
  const { status } = await receive(asked(body, same))
  const forged = await receive(asked(body.subarray(1), same))
  console.log(status, forged.status)
  outgoing.writeHead(status, { connection: "close" }).end()
  receiver.close()
})
receiver.listen(0, "127.0.0.1", () => {
  process.env.SITELEDGER_WEBHOOK_URL = \`http://127.0.0.1:\${(receiver.address() as AddressInfo).port}/\`
  example.resolve(import("./promises.ts"))
})
`

const runEffects = `
import { Effect } from "effect"

const { firstAwarded } = await import("./effects.ts")
const { SITELEDGER_BASE_URL = "", SITELEDGER_AUTH_URL = "" } = process.env
const options = { baseUrl: SITELEDGER_BASE_URL, authUrl: SITELEDGER_AUTH_URL, clientId: "sandbox" }
const projects = await Effect.runPromise(firstAwarded({ ...options, clientSecret: "sandbox-secret" }))
for (const { id, name } of projects) console.log(id, name)
`

/** Forges a delivery, and then has the service send one. `listen` gives the receiver's address. */
const runReceiver = (framework: string, listen: string) => `
import type { AddressInfo } from "node:net"
import { connect } from "siteledger-client"
const { receiver } = await import("./${framework}.ts")
${options}
const secrets: Array<string> = []
const stored = Promise.withResolvers<string>()
const store = async (id: string, event: unknown) => stored.resolve(\`\${id} \${typeof event}\`)
${listen}
const url = \`\${origin}/construction\`
const { secret } = await connect({ baseUrl, authUrl, clientId, clientSecret }).createWebhook({ url, events: ["ipc.paid"] })
secrets.push(secret)
const json = { method: "POST", headers: { "content-type": "application/json" } }
const forged = await fetch(url, { ...json, headers: { ...json.headers, "x-service-signature": "0".repeat(64) }, body: "{}" })
await fetch(new URL("/control/publish", baseUrl), { ...json, body: '{"type":"ipc.paid"}' })
console.log(await stored.promise)
console.log(forged.status)
await close()
`

const express = `
const server = receiver(secrets, store).listen(0, "127.0.0.1")
await new Promise((resolve) => server.once("listening", resolve))
const origin = \`http://127.0.0.1:\${(server.address() as AddressInfo).port}\`
const close = () => server.close()
`

const fastify = `
import makeFastify from "fastify"
const app = makeFastify()
await app.register(receiver(secrets, store))
const origin = await app.listen({ port: 0, host: "127.0.0.1" })
const close = () => app.close()
`

/** By file name. */
export const plain: Readonly<Record<string, string>> = {
  "program.ts": program,
  "typed.ts": typed,
  "promises.ts": example("deliveryHandler("),
  "run-promises.ts": runPromises,
  "schema.ts": example("StandardSchema"),
  "paths-of.ts": example("./paths.ts"),
  "signal.ts": example("AbortSignal"),
  "express.ts": text("packages/client/examples/express.ts"),
  "run-express.ts": runReceiver("express", express),
  "fastify.ts": text("packages/client/examples/fastify.ts"),
  "run-fastify.ts": runReceiver("fastify", fastify)
}

/** For a program that has Effect. */
export const effectful: Readonly<Record<string, string>> = {
  "effects.ts": example('from "effect"'),
  "run-effects.ts": runEffects
}
