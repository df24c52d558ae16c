/** The package as installed: its contents, that `siteledger/client` is typed and runs, and the page's examples. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { startInterfaceServer } from "./InterfaceServer.ts"
import { Consumer } from "./Package/Consumer.ts"

const consumer = new Consumer()
beforeAll(async () => {
  await consumer.install()
  for (const [name, text] of Object.entries(programs)) consumer.write(name, text)
})
afterAll(() => consumer.remove())

const page = readFileSync(new URL("../docs/library.md", import.meta.url), "utf8")
const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? "")

/** Nothing of it may be `any`, which would let every mistake pass. */
const program = `
import { connect, type EventName, ServiceError } from "siteledger/client"

const [baseUrl, authUrl, clientId, clientSecret] = JSON.parse(process.env.SERVICE ?? "") as [string, string, string, string]
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
const error = await client.createWebhook({ url: "no address", events: ["ipc.paid"] }).catch((error: unknown) => error)
console.log(names.length, error instanceof ServiceError && error.reason, typeof (await client.token()))
`

const runner = `
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"

const example = Promise.withResolvers<typeof import("./promises.ts")>()
const asked = (body: Uint8Array<ArrayBuffer>, signature: string) =>
  new Request("http://receiver.test", { method: "POST", headers: { "x-service-signature": signature }, body })

const receiver = createServer(async (incoming, outgoing) => {
  const { receive } = await example.promise
  const body = new Uint8Array(await buffer(incoming))
  const signature = String(incoming.headers["x-service-signature"])
  const { status } = await receive(asked(body, signature))
  const forged = await receive(asked(body.slice(1), signature))
  console.log(incoming.headers["x-service-event-type"], status, forged.status)
  outgoing.writeHead(status, { connection: "close" }).end()
  receiver.close()
})
receiver.listen(0, "127.0.0.1", () => {
  process.env.SITELEDGER_WEBHOOK_URL = \`http://127.0.0.1:\${(receiver.address() as AddressInfo).port}/\`
  example.resolve(import("./promises.ts"))
})
`

const effectRunner = `
import { Effect } from "effect"

const { firstAwarded } = await import("./effects.ts")
const { SITELEDGER_BASE_URL = "", SITELEDGER_AUTH_URL = "" } = process.env
const options = { baseUrl: SITELEDGER_BASE_URL, authUrl: SITELEDGER_AUTH_URL, clientId: "sandbox" }
const projects = await Effect.runPromise(firstAwarded({ ...options, clientSecret: "sandbox-secret" }))
for (const { id, name } of projects) console.log(id, name)
`

const [promises = "", effects = ""] = examples
const programs = {
  "program.ts": program,
  "promises.ts": promises,
  "effects.ts": effects,
  "run-promises.ts": runner,
  "run-effects.ts": effectRunner
}

it("holds what it exports, the launcher and built files, and no sources", () => {
  const files = readdirSync(consumer.installed, { recursive: true, encoding: "utf8" })
  const { exports } = JSON.parse(readFileSync(join(consumer.installed, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  const targets = Object.values(exports).flatMap((each) => Object.values(each))
  assert.isAbove(targets.length, 0)
  assert.deepStrictEqual(
    targets.filter((path) => !existsSync(join(consumer.installed, path))),
    []
  )
  assert.includeMembers(files, ["bin/siteledger", "dist/cli/main.js", "config/example.env", "README.md", "LICENSE"])
  assert.deepStrictEqual(
    files.filter((path) => /(?<!\.d)\.ts$|^(test|bench|src)\//.test(path)),
    []
  )
})

it("is typed, for programs and for the page's examples", () => consumer.check())

it("runs where it is installed, prints nothing itself, and lets the process end", async () => {
  await using server = await startInterfaceServer({ projects: 250 })
  server.fail("503", 2)
  const { clientId, clientSecret } = server.settings
  const service = [server.baseUrl, server.authUrl, clientId, clientSecret]
  const ran = await consumer.run("program.ts", { SERVICE: JSON.stringify(service) })
  assert.deepStrictEqual(ran, { stdout: "250 Refused string\n", stderr: "" })
})

it.live("does what docs/library.md shows", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.start({ projects: 250, pageSizeMax: 100, eventsPerSecond: 0 })
    const { authUrl, baseUrl } = sandbox
    const addresses = { SITELEDGER_BASE_URL: baseUrl, SITELEDGER_AUTH_URL: authUrl }
    const credentials = { SITELEDGER_CLIENT_ID: "sandbox", SITELEDGER_CLIENT_SECRET: "sandbox-secret" }
    const truth = sandbox.truth()
    const awarded = Array.from({ length: 250 }, (_, index) => truth.project(index))
      .filter(({ status }) => status === "awarded")
      .map(({ id, name }) => `${id} ${name}`)
    const lines = ({ stdout }: { readonly stdout: string }) => stdout.trim().split("\n")

    const first = yield* Effect.promise(() => consumer.run("run-promises.ts", { ...addresses, ...credentials }))
    assert.deepStrictEqual(lines(first), [...awarded, "webhook.ping 204 401"])
    const before = (yield* sandbox.stats).requests.answered
    const second = yield* Effect.promise(() => consumer.run("run-effects.ts", addresses))
    assert.deepStrictEqual(lines(second), awarded.slice(0, 3))
    assert.strictEqual((yield* sandbox.stats).requests.answered, before + 1)
  })
)
