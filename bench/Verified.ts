/**
 * Books of many entries as deliveries make them: each IPC is certified and paid by bodies in the inbox. Then
 * `siteledger ledger verify`, as a person runs it without a worker: it folds all facts again and reads all bodies
 * again.
 */
import { hash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { sql } from "kysely"
import * as ConstructionApart from "../connectors/construction/ConstructionApart.ts"
import { stores } from "../pipelines/stores.ts"
import { Apply } from "../src/Intake/Apply.ts"
import { Inbox } from "../src/Intake/Inbox.ts"
import { Copies } from "../src/Ledger/Copies.ts"
import { Ledger } from "../src/Ledger/Ledger.ts"
import type { Delivery } from "../src/Stores/Deliveries.ts"
import { Store } from "../src/Stores/Store.ts"
import { settings } from "./BenchSettings.ts"
import type { Place } from "./Engine.ts"
import { ledgerFile } from "./Posting.ts"
import { eventId, note, projects } from "./Signed.ts"
import { run } from "./WorkerProcess.ts"

const deliveryOf = (headerType: string, n: number, second: number, contents: object): Delivery => {
  const event_timestamp = new Date(Date.UTC(2024, 0, 1) + second * 100).toISOString()
  const body = Buffer.from(JSON.stringify({ event_timestamp, ipc_id: `IPC-${n}`, ...contents, note }))
  return {
    body,
    bodySha256: hash("sha256", body, "buffer"),
    eventId: eventId(body),
    headerType,
    issuedAt: null,
    receivedAt: "2026-11-20T02:00:00.000000Z",
    headers: [],
    secret: "bench"
  }
}

const certificate = (n: number): Delivery => {
  const certified = { certified_amount: `${n + 1}.75`, certificate_url: `https://example.com/c/${n}` }
  return deliveryOf("ipc.certified", n, n, { project_id: (n % projects) + 1, ...certified })
}

const payment = (n: number): Delivery => deliveryOf("ipc.paid", n, n + 1, { payment_reference: `PAY-${n}` })

const atOnce = 500

const fill = (entries: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    for (let first = 0; first < entries; first += atOnce) {
      const some = Array.from({ length: Math.min(atOnce, entries - first) }, (_, n) => first + n)
      yield* Effect.promise(() => store.deliveries.receive([...some.map(certificate), ...some.map(payment)]))
    }
    const { arrived } = yield* Inbox
    const begun = performance.now()
    yield* arrived.open
    while ((yield* store.deliveries.waiting).count > 0) yield* Effect.sleep("50 millis")
    const applySeconds = (performance.now() - begun) / 1000
    // The server would do this by itself within a minute after so many new rows.
    if (store.engine === "postgres") yield* store.run((db) => sql`analyze`.execute(db))
    yield* (yield* Copies).catchUp
    return applySeconds
  })

export const verified = async ({ directory, environment }: Place, entries: number, rounds: number) => {
  const file = join(directory, "ledger.json")
  writeFileSync(file, JSON.stringify(ledgerFile))
  const own = { ...environment, SITELEDGER_LEDGER_CURRENCY: "EUR", SITELEDGER_LEDGER_FILE: file }
  const worker = Apply.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ConstructionApart.layer, Ledger.layer, Copies.layer)),
    Layer.provideMerge(Inbox.layer),
    Layer.provideMerge(Layer.provideMerge(stores, settings(own)))
  )
  const applySeconds = await Effect.runPromise(Effect.scoped(Effect.provide(fill(entries), worker)))
  const seconds: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    const { code, stderr, stdout } = await run({ PATH: process.env["PATH"] ?? "", ...service, ...own }, [
      "ledger",
      "verify",
      "--json"
    ])
    seconds.push((performance.now() - begun) / 1000)
    const found = JSON.parse(stdout || "{}") as { readonly entries?: number; readonly bodies?: number }
    if (code !== 0 || found.entries !== entries || found.bodies !== 2 * entries) throw new Error(stdout + stderr)
  }
  return { applySeconds, seconds }
}

const service = {
  SITELEDGER_BASE_URL: "http://127.0.0.1:1/v1",
  SITELEDGER_AUTH_URL: "http://127.0.0.1:1",
  SITELEDGER_CLIENT_ID: "bench",
  SITELEDGER_CLIENT_SECRET: "bench-secret",
  SITELEDGER_WEBHOOK_URL: "http://127.0.0.1:1/"
}
