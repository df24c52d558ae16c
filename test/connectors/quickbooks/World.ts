/**
 * A QuickBooks company with a few accounts, customers and classes, an adapter that posts to it, and entries to post. The
 * clock is virtual, the network is real.
 */
import { join } from "node:path"
import { assert } from "@effect/vitest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import type { HttpClient } from "effect/http"
import { type Chart, plain } from "../../../config/Chart.ts"
import * as QuickBooks from "../../../connectors/quickbooks/QuickBooks.ts"
import type { OutboxMessage } from "../../../src/Ledger/Outbox/Due.ts"
import type { Verdict } from "../../../src/Ledger/Outbox/SinkAnswer.ts"
import { Seal } from "../../../src/Runtime/Seal.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { entryNumber } from "../Entries.ts"
import type { Account, Lists, Named } from "./Rules.ts"
import { client, mark, realmId, StandIn, type Trouble } from "./StandIn.ts"

const account = (Id: string, AcctNum: string, Name: string, AccountType: string, parent = ""): Account => ({
  Id,
  AcctNum,
  Name,
  FullyQualifiedName: `${parent}${Name}`,
  AccountType,
  Active: true
})

export const named = (Id: string, name: string): Named => ({
  Id,
  DisplayName: name,
  FullyQualifiedName: name,
  Active: true
})

/** QuickBooks' ids differ from the numbers, as they do there. */
export const lists = (): Lists => ({
  Account: [
    account("35", "1000", "Checking", "Bank"),
    account("84", "1100", "Accounts Receivable (A/R)", "Accounts Receivable"),
    account("91", "4000", "Contract income", "Income"),
    account("92", "4010", "Retention", "Income", "Contract income:"),
    account("93", "2010", "Retention", "Other Current Liability", "Held back:")
  ],
  Customer: [named("1", "O'Brien \\ Sons"), named("2", "City of Leeds")],
  Vendor: [named("56", "Steel & Co")],
  Class: [named("5000000000000007431", "Bridges:North")],
  Department: [named("3", "Yard")]
})

/** `bank` is account 1000, and `receivable` is 4000, which needs no customer. */
export const chart: Chart = { ...plain, accounts: { bank: "1000", receivable: "4000" }, company: "Albion" }

export const entryId = "160108dbe7cae992f4d88c4201b3b2d9"
export const number = "SL-160108dbe7cae992f4"

export const message = (
  given: Partial<OutboxMessage["entry"]> = {},
  status: OutboxMessage["status"] = "posted"
): OutboxMessage =>
  entryNumber(42, {
    status,
    entry_id: entryId,
    ipc_id: "IPC-0042",
    amount: "1250000.0000",
    payment_reference: "PAY-2026-0042",
    posting_date: "2026-11-19",
    ...given
  })

/** Another entry. */
export const other = (nth: number): OutboxMessage => message({ entry_id: String(nth).padStart(4, "0").padEnd(32, "a") })

export type Post = (message: OutboxMessage) => Effect.Effect<Verdict, never, HttpClient.HttpClient>

export interface World {
  readonly quickBooks: StandIn
  readonly store: Store["Service"]
  /** As at a start of the worker. */
  readonly started: (given?: Partial<QuickBooks.QuickBooksOptions>) => Effect.Effect<Post>
}

const standIn = Effect.acquireRelease(
  Effect.promise(() => StandIn.start()),
  (server) => Effect.promise(() => server[Symbol.asyncDispose]())
)

export const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) =>
  Effect.sync(() => removeFolder(path))
)

export const firstToken = `${mark}-refresh-0`

export const sealKey = new Uint8Array(32).fill(7)

const startedFor =
  (quickBooks: StandIn, store: Store["Service"]): World["started"] =>
  (given = {}) =>
    QuickBooks.make({
      clientId: client.id,
      clientSecret: Redacted.make(client.secret),
      realmId,
      refreshToken: Redacted.make(firstToken),
      chart,
      company: "Albion",
      currency: "EUR",
      baseUrl: new URL(quickBooks.origin),
      tokenUrl: new URL("/oauth2/v1/tokens/bearer", quickBooks.origin),
      ...given
    }).pipe(
      Effect.map(({ post }) => post),
      Effect.provideService(Store, store),
      Effect.provide(Seal.layerWith(sealKey))
    )

/** Fails if QuickBooks got a request that it doesn't document. */
export const within = <A, E>(body: (world: World) => Effect.Effect<A, E, HttpClient.HttpClient | Scope.Scope>) =>
  Effect.gen(function* () {
    const quickBooks = yield* standIn
    quickBooks.lists = lists()
    const stores = yield* Layer.build(Sqlite.layerAt(join(yield* folder, "store.sqlite")))
    const store = Context.get(stores, Store)
    const result = yield* body({ quickBooks, store, started: startedFor(quickBooks, store) })
    assert.deepStrictEqual(quickBooks.complaints, [])
    return result
  }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))

export const taken: Verdict = { _tag: "Taken" }

/** Of a verdict that says one. */
export const reasonOf = (verdict: Verdict): string => (verdict._tag === "Taken" ? "" : verdict.reason)

/** The first such request meets this trouble. */
export const once = (what: string, trouble: Trouble): StandIn["trouble"] => {
  let isOver = false
  return (request) => {
    if (isOver || request.what !== what) return undefined
    isOver = true
    return trouble
  }
}

/** Of the event loop, for the network. */
export const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
