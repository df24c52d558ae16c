/** Xero's stand-in over real HTTP, the adapter as a worker starts it, and entries on their way to it. */
import { join } from "node:path"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { type Chart, plain } from "../../../config/Chart.ts"
import * as Xero from "../../../connectors/xero/Xero.ts"
import type { Adapter } from "../../../src/Ledger/Outbox/Adapter.ts"
import type { OutboxMessage } from "../../../src/Ledger/Outbox/Due.ts"
import type { Verdict } from "../../../src/Ledger/Outbox/SinkAnswer.ts"
import { entryNumber, type Given, idOf } from "../Entries.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { StandIn } from "./StandIn.ts"

/** A draft of IPC 12. */
export const message = (number: number, given: Given = {}): OutboxMessage =>
  entryNumber(number, { status: "draft", ...given })

export const chart: Chart = { ...plain, accounts: { bank: "880", receivable: "200" } }

/** A start of the worker. */
export const started = (server: StandIn, options: Partial<Xero.XeroOptions> = {}) =>
  Xero.make({
    clientId: server.clientId,
    clientSecret: Redacted.make(server.clientSecret),
    tenantId: server.tenantId,
    baseUrl: new URL(`${server.origin}/api.xro/2.0`),
    tokenUrl: new URL(`${server.origin}/connect/token`),
    chart,
    company: null,
    currency: "EUR",
    requestsPerMinute: 600_000,
    patience: Duration.seconds(30),
    ...options
  })

const standIn = Effect.acquireRelease(
  Effect.promise(async () => {
    const opened = new StandIn()
    await opened.open()
    return opened
  }),
  (opened) => Effect.promise(() => opened.close())
)

const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

/** Every request must be one that the interface document allows. All workers share a Store. */
export const inXero = <A, E>(body: (server: StandIn) => Effect.Effect<A, E, HttpClient.HttpClient | Store>) =>
  Effect.gen(function* () {
    const server = yield* standIn
    const stores = yield* Layer.build(Sqlite.layerAt(join(yield* folder, "store.sqlite")))
    const outcome = yield* Effect.provideService(body(server), Store, Context.get(stores, Store))
    assert.deepStrictEqual(server.complaints, [])
    return outcome
  }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))

export const all = (adapter: Adapter, messages: ReadonlyArray<OutboxMessage>) =>
  Effect.forEach(messages, adapter.post, { concurrency: "unbounded" })

export const reasonOf = (verdict: Verdict): string => (verdict._tag === "Taken" ? "" : verdict.reason)

/** Polls until it is so; a failure names what was waited for. */
export const until = (what: string, isSo: () => boolean): Effect.Effect<void, Error> =>
  Effect.gen(function* () {
    for (let asked = 0; asked < 4000; asked++) {
      if (isSo()) return
      yield* Effect.sleep(Duration.millis(5))
    }
    return yield* Effect.fail(new Error(`Waited in vain until ${what}`))
  })

/** Xero that doesn't remember keys. */
export const inForgetfulXero: typeof inXero = (body) =>
  inXero((server) => {
    server.remembersKeys = false
    return body(server)
  })

export const tag = (adapter: Adapter, number: number) => Effect.map(adapter.post(message(number)), ({ _tag }) => _tag)

export const mark = (number: number): string => `[siteledger ${idOf(number)}]`

export const ownIn = ({ journals }: StandIn, number: number) =>
  journals.all.filter(({ Narration }) => Narration.includes(mark(number)))

/** Of the entry if the amount is 1250. */
export const lines = (amount: number, account = "200") => [
  { LineAmount: amount, AccountCode: "880" },
  { LineAmount: -amount, AccountCode: account }
]
