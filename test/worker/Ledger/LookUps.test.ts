/**
 * IPCs that were certified before siteledger subscribed: once a person has switched their look-ups on and signed off
 * the amount, their payments are posted automatically; wrong or missing answers of the service are left to a person.
 */
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Take } from "../../Front.ts"
import { patience } from "../../Long.ts"
import { raises } from "../../Raised.ts"
import { type RunningWorker, run, until } from "../../RunningWorker.ts"
import type { Place } from "../Place.ts"
import { startedOn } from "../SandboxWorld.ts"
import { subscribed } from "./Early.ts"

const entriesIn = async (place: Place) => {
  const rows = await place.store("select ipc_id, amount from ledger_entries order by sequence")
  return new Map(rows.map((row) => [String(row["ipc_id"]), String(row["amount"])]))
}

interface Held {
  readonly ipc_id: string
  readonly reason: string
  readonly looked_up: string | null
}

const holdsOf = async (worker: RunningWorker): Promise<ReadonlyArray<Held>> =>
  ((await worker.verb("ledger-holds", { limit: 1000 })) as { readonly rows: ReadonlyArray<Held> }).rows

const drained = (worker: RunningWorker) => worker.status("all is applied", ({ inbox }) => inbox.pending === 0)

const verified = async (worker: RunningWorker) =>
  ((await worker.verb("ledger-verify", {})) as { readonly differences: ReadonlyArray<string> }).differences

/** What a look-up rests on. */
const answerOf = async (place: Place, ipc: string) => {
  const query = `select body from ledger_evidence join ledger_facts on number = fact where ipc_id = '${ipc}'`
  const [answer] = await place.store(query)
  return JSON.parse(String(answer?.["body"] ?? "{}")) as Readonly<Record<string, unknown>>
}

const erase = async ({ environment }: RunningWorker, ...ids: ReadonlyArray<string>) => {
  for (const id of ids) {
    const what = ["erase", "--table", "ipcs", "--id", id, "--yes", "--reason", "r", "--remove-exports"]
    const { code, stderr, stdout } = await run(environment, ...what)
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /\n {2}ledger_facts {2}/)
  }
}

/** The answer to one request, instead of the service's. */
const answering = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

describe("payments of IPCs that were certified before the subscription", () => {
  it.live(
    "post by themselves through look-ups whose amount was signed off, also after a restart and an outage",
    () =>
      Effect.gen(function* () {
        let failing = true
        const isSingle = (what: string) => /^GET \/v1\/ipcs\/.+/.test(what)
        const { between, early, place, rest, worker } = yield* subscribed({ money: "signed-off" }, (front) => {
          front.take = (response, what) => (failing && isSingle(what) ? answering(response, 500, {}) : "pass")
        })
        const before = yield* Effect.promise(() => worker.scrape())
        yield* rest
        yield* Effect.promise(async () => {
          await drained(worker)
          await until(
            "it asks, and is refused",
            async () => between.came.some(({ what }) => isSingle(what)) || undefined
          )
          for (const of of ["waiting", "oldest_waiting_seconds"]) {
            const name = `siteledger_lookups_${of}`
            await until(name, async () => ((await worker.metric(name)) ?? 0) > 0 || undefined)
          }
          const failed = () => worker.metric("siteledger_lookups_total", '{resource="ipcs",outcome="failed"}')
          await until("they are counted", async () => ((await failed()) ?? 0) > 0 || undefined)
          const refused = await worker.scrape()
          await raises("SiteledgerLookUpsFail", before, refused, { isRepeated: true })
          await raises("SiteledgerLookUpsWait", before, refused)
          const holds = (await holdsOf(worker)).map(({ ipc_id }) => ipc_id)
          assert.includeMembers(
            holds,
            early.map(({ id }) => id)
          )
          await worker.stop("SIGKILL")
          failing = false
        })
        const next = yield* startedOn(place, worker.environment)
        const posted = yield* Effect.promise(() =>
          until("all are posted", async () => {
            const entries = await entriesIn(place)
            return early.every(({ id }) => entries.has(id)) ? entries : undefined
          })
        )
        for (const { amount, id } of early) assert.strictEqual(posted.get(id), amount, id)
        yield* Effect.promise(async () => {
          const holds = await holdsOf(next)
          assert.deepStrictEqual(
            holds.filter(({ reason }) => reason === "awaiting-certified-amount"),
            []
          )
          assert.deepStrictEqual(await verified(next), [])
          await next.stop()
          place.changes()
          const rows = await place.query("select id, certified_amount::varchar as amount from construction.ipcs")
          const amounts = new Map(rows.map((row) => [row["id"], row["amount"]]))
          for (const { amount, id } of early) assert.strictEqual(amounts.get(id), amount, id)
        })
      }),
    patience
  )

  it.live(
    "stay on hold while nobody has signed off the amount, although events have their records read",
    () =>
      Effect.gen(function* () {
        const { between, early, place, rest, worker } = yield* subscribed({ money: "suggested" })
        yield* rest
        yield* Effect.promise(async () => {
          await drained(worker)
          await until("all that events told of is looked up", async () =>
            (await place.store("select 1 from lookups")).length === 0 ? true : undefined
          )
          const holds = new Map((await holdsOf(worker)).map((hold) => [hold.ipc_id, hold]))
          for (const { id } of early) {
            assert.deepInclude(holds.get(id), { reason: "awaiting-certified-amount", looked_up: null })
          }
          const entries = await entriesIn(place)
          const asked = new Set(between.came.map(({ what }) => what.split("/").at(-1)))
          assert.deepStrictEqual(
            early.filter(({ id }) => entries.has(id) || !asked.has(id)),
            []
          )
        })
      }),
    patience
  )

  it.live(
    "stay on hold, and say why, where the service's record doesn't fit",
    () =>
      Effect.gen(function* () {
        const wrong = new Map<string, Take>()
        const environment = { SITELEDGER_LEDGER_CURRENCY: "EUR" }
        const given = { money: "signed-off", currency: "cur", environment } as const
        const { early, place, rest, worker } = yield* subscribed(given, (front) => {
          front.dress = { headers: {}, fields: { cur: "EUR" } }
          front.take = (response, what) => {
            const answer = wrong.get(what.split("/").at(-1) ?? "")
            return answer === undefined ? "pass" : answer(response, what)
          }
        })
        const [gone, later, dollars, ...others] = early
        if (gone === undefined || later === undefined || dollars === undefined) return assert.fail("too few IPCs")
        const record = { certified_amount: 5, certified_at: "2026-01-01T00:00:00Z", cur: "EUR" }
        wrong.set(gone.id, (response) => answering(response, 404, {}))
        const after = { ...record, ipc_id: later.id, certified_at: "2099-01-01T00:00:00Z" }
        wrong.set(later.id, (response) => answering(response, 200, after))
        wrong.set(dollars.id, (response) => answering(response, 200, { ...record, ipc_id: dollars.id, cur: "USD" }))
        yield* rest
        yield* Effect.promise(async () => {
          await drained(worker)
          const found = await until("the three are looked up", async () => {
            const holds = new Map((await holdsOf(worker)).map(({ ipc_id, looked_up }) => [ipc_id, looked_up]))
            return [gone, later, dollars].every(({ id }) => holds.get(id) != null) ? holds : undefined
          })
          const counted = async () => (await worker.metric("siteledger_lookups_total")) ?? 0
          await until("the three are counted", async () => (await counted()) >= 3 || undefined)
          assert.match(found.get(gone.id) ?? "", /no such record \(404\)\.$/)
          assert.match(found.get(later.id) ?? "", /a certificate of 2099-.*, which is after the payment/)
          assert.match(found.get(dollars.id) ?? "", /for 5\.0000 USD, and payments of its project are in EUR\.$/)
          const entries = await until("the others are posted", async () => {
            const posted = await entriesIn(place)
            return others.every(({ id }) => posted.has(id)) ? posted : undefined
          })
          for (const { id } of [gone, later, dollars]) assert.isFalse(entries.has(id), id)
          assert.deepStrictEqual(await verified(worker), [])
          await worker.stop()
        })
        // Of two that are erased, one has an answer, and one is answered afterwards: only what its fact says is left.
        const [{ id } = dollars] = others
        yield* Effect.promise(async () => {
          assert.notInclude(Object.values(await answerOf(place, id)), "[erased]")
          await erase(worker, id, dollars.id)
          const body = await answerOf(place, id)
          assert.deepInclude(body, { ipc_id: id, cur: "EUR" })
          assert.include(Object.values(body), "[erased]")
          await place.store("update lookups set looked_at = '2026-01-01T00:00:00.000000Z'")
          const right = { ...record, ipc_id: dollars.id, of: "Grete", more: { of: "Grete" } }
          wrong.set(dollars.id, (response) => answering(response, 200, right))
        })
        const last = yield* startedOn(place, worker.environment)
        yield* Effect.promise(async () => {
          await until("it is posted", async () => (await entriesIn(place)).has(dollars.id) || undefined)
          const right = { ...record, ipc_id: dollars.id, of: "[erased]", more: "[erased]" }
          assert.deepStrictEqual(await answerOf(place, dollars.id), right)
          await last.live()
          assert.deepStrictEqual(await verified(last), [])
        })
      }),
    patience
  )
})
