/**
 * The client's package as installed: its size, that it is typed and runs, the page's examples, and the page that is made
 * from its declarations. After a change of these: UPDATE_DOCS=1 npx vitest run test/Package/Client.test.ts
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { generateTypes } from "../foreign/Generated.ts"
import { startInterfaceServer } from "../InterfaceServer.ts"
import { apiPage } from "./ApiPage.ts"
import { Consumer } from "./Consumer.ts"
import * as Programs from "./Programs.ts"
import { root, Tree } from "./Tree.ts"

const mostBytes = 10_000_000

const tree = new Tree()
/** One has no Effect, the other has it. */
const [plain, effectful] = [new Consumer(), new Consumer()]
let installed: ReturnType<Consumer["installed"]>

beforeAll(async () => {
  const tarball = await tree.pack("packages/client")
  await plain.install(tarball)
  effectful.copy(plain)
  installed = plain.installed()
  plain.link("@types/node", "@types/express", "express", "fastify")
  effectful.link("@types/node", "effect")
  for (const [name, text] of Object.entries(Programs.plain)) plain.write(name, text)
  for (const [name, text] of Object.entries(Programs.effectful)) effectful.write(name, text)
})
afterAll(() => [tree, plain, effectful].forEach((each) => each.remove()))

const packageFolder = () => join(plain.folder, "node_modules/siteledger-client")

it(`installs alone, in less than ${mostBytes / 1_000_000} MB, with the licences of its parts`, () => {
  assert.deepStrictEqual(installed.packages, ["siteledger-client"])
  assert.isBelow(installed.bytes, mostBytes)
  assert.isAbove(installed.bytes, 100_000)
  for (const name of ["dist/LICENSE", "README.md"]) assert.isTrue(existsSync(join(packageFolder(), name)), name)
  assert.include(readFileSync(join(packageFolder(), "dist/LICENSES-OF-PARTS"), "utf8"), "effect\n\nMIT License")
})

const service = ({ authUrl, baseUrl }: { readonly authUrl: string; readonly baseUrl: string }) => ({
  SITELEDGER_BASE_URL: baseUrl,
  SITELEDGER_AUTH_URL: authUrl,
  SITELEDGER_CLIENT_ID: "sandbox",
  SITELEDGER_CLIENT_SECRET: "sandbox-secret"
})

const lines = ({ stdout }: { readonly stdout: string }) => stdout.trim().split("\n")

it.live("is typed without Effect, also by what openapi-typescript makes of the service's document", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.start({ projects: 60, eventsPerSecond: 0 })
    yield* sandbox.emit(sandbox.events.blockLength)
    yield* Effect.promise(async () => {
      await generateTypes(sandbox.baseUrl, plain, "paths.ts")
      await plain.check()
    })
    const ran = yield* Effect.promise(() => plain.run("typed.ts", service(sandbox)))
    assert.match(ran.stdout, /^60 1 IPC-\S+ (created|submitted|certified|paid) whsec_\S+ 404\n$/)
  })
)

it("runs where it is installed, prints nothing itself, and lets the process end", async () => {
  await using server = await startInterfaceServer({ projects: 250 })
  server.fail("503", 3)
  const { clientId, clientSecret } = server.settings
  const options = [server.baseUrl, server.authUrl, clientId, clientSecret]
  const ran = await plain.run("program.ts", { SERVICE: JSON.stringify(options) })
  assert.deepStrictEqual(ran, { stdout: "250 Refused string Refused at program.ts\n", stderr: "" })
})

it.live("does what docs/library.md shows, for promises and for Effect", () =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.start({ projects: 250, pageSizeMax: 100, eventsPerSecond: 0 })
    const truth = sandbox.truth()
    const awarded = Array.from({ length: 250 }, (_, index) => truth.project(index))
      .filter(({ status }) => status === "awarded")
      .map(({ id, name }) => `${id} ${name}`)

    const first = yield* Effect.promise(() => plain.run("run-promises.ts", service(sandbox)))
    assert.deepStrictEqual(lines(first), [...awarded, "stored webhook.ping", "204 401"])
    const before = (yield* sandbox.stats).requests.answered
    yield* Effect.promise(() => effectful.check())
    const second = yield* Effect.promise(() => effectful.run("run-effects.ts", service(sandbox)))
    assert.deepStrictEqual(lines(second), awarded.slice(0, 3))
    assert.strictEqual((yield* sandbox.stats).requests.answered, before + 1)
  })
)

describe("the example for", () => {
  for (const framework of ["express", "fastify"]) {
    it(`${framework} stores signed deliveries and refuses others`, async () => {
      await using server = await startInterfaceServer({ ping: "never", control: true })
      const { clientId, clientSecret } = server.settings
      const options = [server.baseUrl, server.authUrl, clientId, clientSecret]
      const ran = await plain.run(`run-${framework}.ts`, { SERVICE: JSON.stringify(options) })
      const [delivery] = server.deliveries
      assert.deepStrictEqual(lines(ran), [`${delivery?.id} object`, "401"])
      await server.waitFor(() => delivery?.attempts[0]?.status === 204)
    })
  }
})

it("docs/client-api.md is made from its declarations", () => {
  const declarations = (name: string) => join(packageFolder(), `dist/connectors/construction/${name}.d.ts`)
  const page = apiPage({
    "siteledger-client": declarations("Client"),
    "siteledger-client/effect": declarations("ClientForEffect")
  })
  const file = join(root, "docs/client-api.md")
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(file, page)
  assert.strictEqual(readFileSync(file, "utf8"), page)
})
