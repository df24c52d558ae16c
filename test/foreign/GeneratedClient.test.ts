/**
 * Clients that were generated from the sandbox's documents: types by `openapi-typescript`, requests by `openapi-fetch`.
 * test/Package/Client.test.ts uses the same types with our own library.
 */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { Consumer } from "../Package/Consumer.ts"
import { generateTypes } from "./Generated.ts"
import * as Programs from "./GeneratedClient/Programs.ts"

const consumer = new Consumer()
afterAll(() => consumer.remove())

/** Events begin with the first subscription. */
const started: Effect.Effect<Sandbox, unknown, Scope.Scope> = Sandbox.start({
  projects: 250,
  pageSizeMax: 100,
  eventsPerSecond: 200,
  maxEvents: 400,
  v2: true
})

const environment = ({ authUrl }: Sandbox) => ({ SERVICE: authUrl })

beforeAll(() =>
  Effect.gen(function* () {
    const { authUrl } = yield* started
    yield* Effect.promise(async () => {
      consumer.link("@types/node", "openapi-fetch")
      for (const version of ["v1", "v2"]) await generateTypes(`${authUrl}/${version}`, consumer, `${version}.ts`)
      consumer.write("program.ts", Programs.first)
      consumer.write("migrated.ts", Programs.migrated)
      await consumer.check()
    })
  }).pipe(Effect.scoped, Effect.runPromise)
)

it.live("a generated client reads every page, subscribes, and receives a delivery of a known shape", () =>
  Effect.gen(function* () {
    const sandbox = yield* started
    const { stderr, stdout } = yield* Effect.promise(() => consumer.run("program.ts", environment(sandbox)))
    assert.strictEqual(stderr, "")
    const [pages, ping, paid, refused] = stdout.trim().split("\n")
    assert.strictEqual(pages, "250 projects on 3 pages, by a token for 3600 s")
    assert.strictEqual(ping, `webhook.ping true`)
    assert.match(paid ?? "", /^ipc\.paid true IPC-\S+ \S+$/)
    assert.strictEqual(refused, "404 not_found")
    assert.strictEqual(sandbox.subscriptions().length, 1)
  }).pipe(Effect.scoped)
)

it.live("a client generated from v2 reads its pages by their other names", () =>
  Effect.gen(function* () {
    const sandbox = yield* started
    const { stdout } = yield* Effect.promise(() => consumer.run("migrated.ts", environment(sandbox)))
    const { name, status } = sandbox.truth().project(0)
    assert.strictEqual(stdout, `250 ${name}, ${status} 3600\n`)
  }).pipe(Effect.scoped)
)
