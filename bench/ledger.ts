/**
 * The books under load. Payments arrive at 100 per second over HTTP, each with its certificate, and the time from when
 * each was due until a query of the warehouse sees its entry is measured (goal: p99 ≤ 1 s). A million facts are folded in
 * memory, beside a bare loop that only sums the amounts of the same facts by IPC. Books of 100,000 entries are made as
 * Apply would make them, and verified.
 * Run: node bench/ledger.ts [--engine postgres]
 */
import { Effect, Fiber, Layer } from "effect"
import { sql } from "kysely"
import * as ConstructionApart from "../connectors/construction/ConstructionApart.ts"
import * as ConstructionWebhooks from "../connectors/construction/ConstructionWebhooks.ts"
import { minorDigits } from "../config/Currency.ts"
import { unsaid } from "../config/Certificates.ts"
import { rulesVersion } from "../config/Ledger.ts"
import { stores } from "../pipelines/stores.ts"
import { Apply } from "../src/Intake/Apply.ts"
import { Inbox } from "../src/Intake/Inbox.ts"
import * as Version from "../src/Domain/Version.ts"
import * as Instant from "../src/Domain/Instant.ts"
import { Copies } from "../src/Ledger/Copies.ts"
import { Ledger } from "../src/Ledger/Ledger.ts"
import type { AppliedEvent } from "../src/Ledger/EventFacts.ts"
import type { Fact, Terms } from "../src/Ledger/Fact.ts"
import * as Fold from "../src/Ledger/Fold.ts"
import { type Books, empty } from "../src/Ledger/Fold/Known.ts"
import { Receiver } from "../src/Intake/Receiver.ts"
import { Keyring } from "../src/Intake/Secrets/Keyring.ts"
import { Store } from "../src/Stores/Store.ts"
import { Warehouse } from "../src/Stores/Warehouse.ts"
import { settings } from "./BenchSettings.ts"
import { quantile, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { path, secret } from "./Signed.ts"

const perSecond = 100
const payments = perSecond * Number(process.env["BENCH_SECONDS"] ?? 20)
const facts = Number(process.env["BENCH_EVENTS"] ?? 1_000_000)
const entries = Number(process.env["BENCH_ENTRIES"] ?? 100_000)
const pollMs = 10

await using engine = await Engine.open()
const bottom = Layer.unwrap(
  Effect.map(
    Effect.promise(() => engine.place()),
    ({ environment }) => Layer.provideMerge(stores, settings({ ...environment, SITELEDGER_LEDGER_CURRENCY: "EUR" }))
  )
)

const receiving = Receiver.layerWith({ host: "127.0.0.1", port: 0, path, maximumBytes: 4 * 1024 * 1024 }).pipe(
  Layer.provide(ConstructionWebhooks.layer),
  Layer.provide([ConstructionWebhooks.Callbacks.layer, Keyring.layerWith(secret)])
)

const posting = receiving.pipe(
  Layer.provideMerge(Apply.layer),
  Layer.provideMerge(Layer.mergeAll(ConstructionApart.layer, Ledger.layer, Copies.layer, Inbox.layer))
)

/** The payment's event id → when a query first saw its entry. */
const watch = (seenAt: Map<string, number>) =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    let through = "0"
    while (true) {
      const rows = yield* warehouse.query((db) =>
        db
          .selectFrom("construction.ledger_entries")
          .select(["event_id", "sequence"])
          .where("sequence", ">", through)
          .orderBy("sequence")
          .execute()
      )
      const now = Date.now()
      for (const row of rows) seenAt.set(String(row.event_id), now)
      through = rows.at(-1)?.sequence ?? through
      yield* Effect.sleep(pollMs)
    }
  })

const delays = Effect.gen(function* () {
  const { port } = yield* (yield* Receiver).status
  const seenAt = new Map<string, number>()
  const watching = yield* Effect.forkChild(watch(seenAt))
  const sender = yield* Effect.promise(() => start("Payments.ts", port, payments, perSecond))
  const dueAt = Object.entries(JSON.parse(sender.line) as Record<string, number>)
  while (seenAt.size < dueAt.length) yield* Effect.sleep(pollMs)
  yield* Fiber.interrupt(watching)
  return dueAt.map(([id, at]) => (seenAt.get(id) ?? Number.POSITIVE_INFINITY) - at)
})

const second = (n: number): Instant.Instant => Instant.fromMillis(Date.UTC(2026, 10, 1) + n * 1000)

const terms: Terms = {
  debitAccount: "bank",
  creditAccount: "receivable",
  currency: "EUR",
  currencies: {},
  minorDigits,
  certificates: unsaid,
  openFrom: null,
  inClosedPeriod: "hold",
  rules: rulesVersion,
  timezone: "UTC",
  confirmAbove: null,
  reading: null
}

const lifeOf = 4
const atOnce = 10_000

/** Interleaved lives: project, certificate, payment, and finally another certificate, an earlier one for every other IPC. */
const block = (from: number): ReadonlyArray<Fact> =>
  Array.from({ length: lifeOf * atOnce }, (_, index): Fact => {
    const number = from + index + 1
    const n = index % atOnce
    const common = { number, ipcId: `IPC-${from + n}`, knownAt: second(number), eventId: `event-${number}` }
    const certificate = { ...common, kind: "certificate", url: `https://example.com/c/${number}` } as const
    if (index < atOnce) return { ...common, kind: "project", projectId: String(n % 700) }
    if (index < 2 * atOnce) return { ...certificate, at: second(2), units: BigInt(10_000 + n) }
    if (index < 3 * atOnce) return { ...common, kind: "payment", at: second(4), reference: `PAY-${from + n}` }
    return { ...certificate, at: second(n % 2 === 0 ? 3 : 1), units: BigInt(20_000 + n) }
  })

const folded = () => {
  const took = { fold: 0, sum: 0 }
  let posted = 0
  for (let from = 0; from < facts; from += lifeOf * atOnce) {
    const some = block(from)
    const begun = performance.now()
    const books = new Map<string, Books>()
    for (const fact of some) {
      const turn = Fold.fold(books.get(fact.ipcId) ?? empty(fact.ipcId), fact, terms)
      books.set(fact.ipcId, turn.books)
      posted += turn.entries.length
    }
    const middle = performance.now()
    const sums = new Map<string, bigint>()
    for (const fact of some) {
      if (fact.kind === "certificate") sums.set(fact.ipcId, (sums.get(fact.ipcId) ?? 0n) + fact.units)
    }
    took.fold += middle - begun
    took.sum += performance.now() - middle
  }
  return { posted, perSecond: (facts / took.fold) * 1000, summedPerSecond: (facts / took.sum) * 1000 }
}

const heard = (n: number, values: AppliedEvent["change"]["values"]): AppliedEvent => ({
  eventId: `event-${n}-${Object.keys(values).length}`,
  at: second(n),
  receivedAt: second(n),
  change: {
    entity: "ipcs",
    id: `IPC-${n}`,
    version: Version.make(n, 3, "a".repeat(64)),
    source: "event",
    seenAt: second(n),
    values,
    misfits: {},
    extra: {}
  }
})

const batchIpcs = 1000

const verified = Effect.gen(function* () {
  const ledger = yield* Ledger
  const begun = performance.now()
  for (let first = 0; first < entries; first += batchIpcs) {
    const ids = Array.from({ length: batchIpcs }, (_, index) => first + index)
    yield* ledger.hear([
      ...ids.map((n) =>
        heard(n, { certified_at: second(n), certified_amount: `${n + 1}.0000`, certificate_url: null })
      ),
      ...ids.map((n) => heard(n, { paid_at: second(n), payment_reference: `PAY-${n}` }))
    ])
  }
  const hearMs = performance.now() - begun
  // The server does this by itself within a minute after so many new rows.
  const store = yield* Store
  if (store.engine === "postgres") yield* store.run((db) => sql`analyze`.execute(db))
  const told = performance.now()
  const found = yield* ledger.verify()
  if (found.entries !== entries || found.differences.length > 0) throw new Error(JSON.stringify(found))
  return { hearSeconds: hearMs / 1000, seconds: (performance.now() - told) / 1000 }
})

const measure = Effect.gen(function* () {
  const waits = yield* Effect.scoped(
    Effect.provide(delays, posting.pipe(Layer.provideMerge(Layer.fresh(bottom))), { local: true })
  )
  const fold = folded()
  const books = Ledger.layer.pipe(Layer.provideMerge(Layer.fresh(bottom)))
  const { hearSeconds, seconds } = yield* Effect.scoped(Effect.provide(verified, books, { local: true }))
  const result = {
    bench: "ledger",
    engine: Engine.name,
    arrivingPerSecond: perSecond,
    paid: waits.length,
    postedAfterP50Ms: quantile(waits, 0.5),
    postedAfterP99Ms: quantile(waits, 0.99),
    postedAfterMostMs: Math.max(...waits),
    events: facts,
    posted: fold.posted,
    foldedPerSecond: Math.round(fold.perSecond),
    summedPerSecond: Math.round(fold.summedPerSecond),
    ratio: round(fold.perSecond / fold.summedPerSecond, 4),
    entries,
    heardPerSecond: Math.round((2 * entries) / hearSeconds),
    verifySeconds: round(seconds, 2),
    verifiedPerSecond: Math.round(entries / seconds)
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
})

await Effect.runPromise(measure)
