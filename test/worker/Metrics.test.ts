/**
 * The metrics of a worker change when their cause occurs, always follow Prometheus' conventions, and contain no secret.
 */
import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { sections } from "../../src/Operate/Metrics/Families.ts"
import * as Timings from "../../src/Runtime/Timings.ts"
import { complaints, promtool, valueOf } from "../Exposition.ts"
import { raises } from "../Raised.ts"
import { Accounts, secret } from "../Ledger/Outbox/SinkWorld.ts"
import { type RunningWorker, until } from "../RunningWorker.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { World } from "./World.ts"

const certified = (id: string, more: object = {}) => ({
  type: "ipc.certified",
  fields: { ipc_id: id, certified_amount: "12.50", certificate_url: `https://c/${id}`, ...more }
})
const paid = (id: string | undefined) => ({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })

type Wanted = readonly [name: string, labels: string, is: number | ((value: number | undefined) => boolean)]

const some = (value = 0) => value > 0
const isThere = (value?: number) => value !== undefined
const isGone = (value?: number) => value === undefined
const isRecent = (value = 0) => Math.abs(Date.now() / 1000 - value) < 120

const atTheStart: ReadonlyArray<Wanted> = [
  ["siteledger_build_info", "{", 1],
  ["process_start_time_seconds", "", isRecent],
  ["process_resident_memory_bytes", "", (value = 0) => value > 50_000_000],
  ["process_cpu_seconds_total", "", some],
  ["siteledger_phase", '{phase="live"}', 1],
  ["siteledger_leader", "", 1],
  ["siteledger_reasons", "", 0],
  ["siteledger_status_ok", "", 1],
  ["siteledger_walk_rows", '{resource="projects"}', 30],
  ["siteledger_walk_pages_done", '{resource="projects"}', 1],
  ["siteledger_walk_pages", '{resource="projects"}', 1],
  ["siteledger_walk_quarantined", '{resource="projects"}', 0],
  ["siteledger_walk_proof", '{resource="projects",proof="counts-agree"}', 1],
  ["siteledger_walk_seconds", '{resource="projects"}', 1],
  ["siteledger_walk_requests_left", '{resource="projects"}', 1],
  ["siteledger_walk_next_proof_timestamp_seconds", '{resource="projects"}', (value = 0) => value > Date.now() / 1000],
  // The projects are asked for neither by what changed, nor below others.
  ["siteledger_walk_changed_timestamp_seconds", "", isGone],
  ["siteledger_walk_parents", "", isGone],
  // No review file has look-ups.
  ["siteledger_lookups_waiting", "", isGone],
  ["siteledger_lookups_oldest_waiting_seconds", "", isGone],
  ["siteledger_lookups_total", "", isGone],
  ["siteledger_api_limit_per_minute", "", 60_000],
  ["siteledger_api_used_last_minute", "", some],
  ["siteledger_webhook_secrets", '{state="valid"}', 1],
  ["siteledger_clock_skew_seconds", '{by="answers"}', isThere],
  ["siteledger_gaps_open", "", 0],
  ["siteledger_inbox_archived", "", 0],
  ["siteledger_inbox_oldest_pending_seconds", "", 0],
  ["siteledger_inbox_unposted", "", 0],
  ["siteledger_next_export_timestamp_seconds", "", (value = 0) => value > Date.now() / 1000]
]

/** Off the machine; a server has its own tools. */
const backups = {
  embedded: [
    ["siteledger_backup_age_seconds", "", isThere],
    ["siteledger_backup_chunks", "", some]
  ],
  read: [["siteledger_backup_verified_timestamp_seconds", "", isRecent]],
  server: [
    ["siteledger_backup_age_seconds", "", isGone],
    ["siteledger_backup_chunks", "", isGone],
    ["siteledger_backup_verified_timestamp_seconds", "", isGone]
  ]
} satisfies Readonly<Record<string, ReadonlyArray<Wanted>>>

interface Scene {
  readonly act: (world: World, worker: RunningWorker, to: Accounts) => Promise<unknown>
  readonly shows: ReadonlyArray<Wanted>
  readonly raises?: (before: string, after: string) => Promise<void>
}

const delivering =
  (...events: ReadonlyArray<Parameters<World["server"]["deliver"]>[0]>) =>
  async (world: World) => {
    for (const event of events) await world.server.deliver(event)
  }

const scenes: Readonly<Record<string, Scene>> = {
  "a payment": {
    act: delivering(certified("1"), paid("1")),
    shows: [
      ["siteledger_ledger_entries", "", 1],
      ["siteledger_ledger_posted_seconds", "", 1],
      ["siteledger_ledger_posted_recent_seconds", '{percentile="99"}', some],
      ["siteledger_ledger_acknowledged_seconds", "", 1],
      ["siteledger_delivery_visible_seconds", "", 3],
      ["siteledger_events_total", '{outcome="applied"}', 3],
      ["siteledger_receiver_deliveries_total", '{outcome="accepted"}', 3],
      ["siteledger_inbox_pending", "", 0],
      ["siteledger_last_event_timestamp_seconds", "", isRecent],
      ["siteledger_published_age_seconds", "", (value = 1000) => value < 60]
    ]
  },
  "accounting that takes nothing": {
    act: async (world, _worker, to) => {
      to.answer = () => ({ status: 503, text: "" })
      await delivering(certified("6"), paid("6"))(world)
    },
    shows: [
      ["siteledger_ledger_sink_backlog", "", 1],
      ["siteledger_ledger_sink_oldest_pending_seconds", "", some],
      ["siteledger_ledger_sink_dead", "", 0]
    ],
    raises: (before, after) => raises("SiteledgerSinkWaits", before, after)
  },
  "a payment without a certificate": {
    act: delivering(paid("2")),
    shows: [
      ["siteledger_ledger_holds", "", 1],
      ["siteledger_ledger_oldest_hold_seconds", '{reason="awaiting-certified-amount"}', some],
      ["siteledger_reason_active", '{reason="open holds",level="notice"}', 1],
      ["siteledger_reasons_by_level", '{level="notice"}', 1]
    ],
    raises: (before, after) => raises("SiteledgerHoldWaits", before, after, { hours: 80 })
  },
  "its certificate": { act: delivering(certified("2")), shows: [["siteledger_reason_active", "", isGone]] },
  "an event without a key": {
    act: delivering(paid(undefined)),
    shows: [
      ["siteledger_inbox_quarantined", "", 1],
      ["siteledger_events_total", '{outcome="quarantined"}', 1],
      // Its rows aren't.
      ["siteledger_delivery_visible_seconds", "", 7]
    ],
    raises: (before, after) => raises("SiteledgerQuarantine", before, after)
  },
  "two events under one id": {
    act: async (world) => {
      const id = randomUUID()
      for (const ipc of ["7", "8"]) await world.server.deliver(certified(ipc), { id })
    },
    shows: [["siteledger_alarms_total", '{alarm="id_reused"}', 1]],
    raises: (before, after) => raises("SiteledgerIdReused", before, after)
  },
  "a value that doesn't fit": {
    act: delivering(certified("9", { project_id: "no number" })),
    shows: [["siteledger_misfits_total", "", some]]
  },
  "wrong signatures": {
    act: async (world) => {
      for (let n = 0; n < 25; n++) await world.server.deliver(paid("11"), { signature: "0".repeat(64) })
    },
    shows: [["siteledger_receiver_deliveries_total", '{outcome="rejected"}', 25]],
    raises: (before, after) => raises("SiteledgerDeliveriesRejected", before, after)
  },
  "a secret that ends": {
    act: async (world, worker) => {
      const [, fingerprint = ""] = /"fingerprint":"(\w+)"/.exec(JSON.stringify(await worker.verb("secret-list"))) ?? []
      await worker.verb("secret-add", { secret: "whsec_planted_in_metrics" })
      await worker.verb("secret-retire", { fingerprint, in: "1 hour" })
      await world.server.deliver(certified("10"))
    },
    shows: [
      ["siteledger_receiver_signed_by_ending_secret_total", "", 1],
      ["siteledger_webhook_secrets", '{state="ending"}', 1]
    ]
  },
  "an export": {
    act: (_world, worker) => worker.verb("export"),
    shows: [
      ["siteledger_export_seconds", "", 1],
      ["siteledger_last_export_timestamp_seconds", "", isRecent]
    ],
    raises: (before, after) => raises("SiteledgerNoExport", before, after, { hours: 30 })
  }
}

it("the metrics of a worker change when their cause is made", async () => {
  const to = new Accounts()
  await to.open()
  const sink = { SITELEDGER_LEDGER_SINK_URL: to.url.href, SITELEDGER_LEDGER_SINK_SECRET: secret }
  await using world = await World.open({ projects: 30 }, sink)
  const isEmbedded = world.database === undefined
  const folder = temporaryFolder()
  const worker = world.start(
    isEmbedded ? { SITELEDGER_BACKUP: `file:${folder}`, SITELEDGER_BACKUP_KEY: "0".repeat(64) } : {}
  )
  await worker.live()
  const seen = new Set<string>()
  const become = async (cause: string, wanted: ReadonlyArray<Wanted>) => {
    for (const [name, labels, is] of wanted) {
      seen.add(name)
      await until(`${name}${labels} after ${cause}`, async () => {
        const value = await worker.metric(name, labels)
        return (typeof is === "number" ? value === is : is(value)) || undefined
      })
    }
  }
  await become("the start", atTheStart)
  for (const [cause, { act, raises, shows }] of Object.entries(scenes)) {
    const before = await worker.scrape()
    await act(world, worker, to)
    await become(cause, shows)
    await raises?.(before, await worker.scrape())
  }
  await become("the start", isEmbedded ? backups.embedded : backups.server)
  if (isEmbedded) {
    const before = await worker.scrape()
    await worker.verb("backup-verify", {})
    await become("reading the backup", backups.read)
    await raises("SiteledgerBackupNotReadBack", before, await worker.scrape(), { hours: 80 })
  }
  const text = await worker.scrape()
  for (const { name } of Object.values(Timings.timings)) {
    const mean = (valueOf(text, `${name}_sum`) ?? 0) / (valueOf(text, `${name}_count`) ?? 0)
    assert.isTrue(mean > 0 && mean < 10, `${name} in seconds: ${mean}`)
  }
  assert.deepStrictEqual(complaints(text), [])
  assert.strictEqual(promtool(text), "")
  for (const hidden of ["whsec_planted_in_metrics", secret, ...world.server.subscriptions.map((each) => each.secret)]) {
    assert.notInclude(text, hidden)
  }
  const all = [...Object.values(sections).flat(), ...Object.values(Timings.timings)].map(({ name }) => name)
  assert.deepStrictEqual(
    all.filter((name) => !seen.has(name)),
    []
  )
  await to.close()
  await worker.stop()
  await raises("SiteledgerGone", text, await worker.scrape())
  removeFolder(folder)
})
