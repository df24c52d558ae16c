/**
 * Fills the stores of a worker that is down with what the dashboard's lists show among many other events: events that
 * pay, that wait for a decision and that can't be read, and past walks. The next start applies the events. Prints how
 * many there are. Run: node bench/PagesFill.ts DATA_DIR ENTRIES ODDS [DATABASE]
 */
import { hash } from "node:crypto"
import { Effect, Layer } from "effect"
import { store as storeLayer } from "../pipelines/stores.ts"
import * as Instant from "../src/Domain/Instant.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import type { Delivery } from "../src/Stores/Deliveries.ts"
import { Store } from "../src/Stores/Store.ts"
import { settings } from "./BenchSettings.ts"
import { delivery, eventId, note } from "./Signed.ts"

const [directory = "", entries = "100000", odds = "2000", database] = process.argv.slice(2)
/** As many as a busy receiver takes at once. */
const atOnce = 1000

const walksOfEach = 500

const given = {
  SITELEDGER_DATA_DIR: directory,
  ...(database === undefined ? {} : { SITELEDGER_WAREHOUSE: database })
}

/** Some arrive together, as in reality. */
const together = 50
const from = Date.parse("2026-11-20T02:00:00Z")
const arrivalOf = (n: number): Instant.Instant => Instant.fromMillis(from + Math.floor(n / together))

const of = (headerType: string, contents: object): Delivery => {
  const body = Buffer.from(JSON.stringify({ event_timestamp: "2026-11-20T01:00:00Z", ...contents, note }))
  return {
    body,
    bodySha256: hash("sha256", body, "buffer"),
    eventId: eventId(body),
    headerType,
    issuedAt: null,
    headers: [],
    secret: "f",
    receivedAt: arrivalOf(0)
  }
}

const paid = Number(entries)
/** IPCs are certified, and then paid. */
const certified = 2 * paid
const events = 2 * (paid + Number(odds))

/** The nth delivery: certificates, payments, payments without a certificate, or certificates without a key. */
const nth = (n: number): Delivery => {
  if (n < 2 * paid) return delivery("PAID", certified + n, paid)
  const k = n - 2 * paid
  return k < Number(odds)
    ? of("ipc.paid", { event_type: "ipc.paid", ipc_id: `LATE-${k}`, payment_reference: `PAY-${k}` })
    : of("ipc.certified", { event_type: "ipc.certified", number: k, certified_amount: `${k}.5` })
}

const fillEvents = Effect.gen(function* () {
  const { deliveries } = yield* Store
  for (let first = 0; first < events; first += atOnce) {
    const count = Math.min(atOnce, events - first)
    yield* Effect.promise(() =>
      deliveries.receive(
        Array.from({ length: count }, (_, n) => ({ ...nth(first + n), receivedAt: arrivalOf(first + n) }))
      )
    )
  }
})

/** Past walks of lists that no pipeline walks any more. */
const fillWalks = Effect.flatMap(Store, (store) =>
  store.transaction(async (tx) => {
    const endMs = Date.UTC(2026, 10, 20)
    for (let list = 0; list < 20; list++) {
      const rows = Array.from({ length: walksOfEach }, (_, pass) => {
        const endedMs = endMs + pass * 60_000 + list
        return {
          resource: `list_${list}`,
          ended_at: Instant.fromMillis(endedMs),
          pass: pass + 1,
          started_at: Instant.fromMillis(endedMs - 30_000),
          proof: "proven",
          disturbance: null,
          rows: 1000,
          total: 1000,
          pages: 1,
          deleted: 0,
          parents: null,
          parents_sure: null
        }
      })
      await tx.insertInto("walk_passes").values(rows).execute()
    }
  })
)

const bottom = Layer.provideMerge(Layer.provideMerge(storeLayer, Reasons.layer), settings(given))
await Effect.runPromise(Effect.scoped(Effect.provide(Effect.andThen(fillEvents, fillWalks), bottom)))
process.stdout.write(`${events}\n`)
