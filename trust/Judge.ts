/**
 * Compares the acknowledged events with the contents of every copy: the warehouse's tables, the copy for analysts, the
 * Parquet files and the accounting system. Returns a sentence for each difference.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Ipc, model, type Told } from "./Tale.ts"
import { isBalanced, moved, movedBy } from "./Moved.ts"
import { text } from "../bench/Waiting.ts"
import { inDuckDb, type Rows, type World } from "./World.ts"
import type { Worker } from "../bench/WorkerProcess.ts"

const eventsSql = `select body_sha256, event_type, outcome, cast(deliveries as varchar) as deliveries from construction.events`
const ipcsSql = `select id, status, cast(certified_amount as varchar) as certified from construction.ipcs`
// An accrual isn't a payment.
const paidSql = `select ipc_id, cast(sum(amount) as varchar) as paid, cast(count(*) as varchar) as entries
  from construction.ledger_entries where kind <> 'accrual' group by ipc_id`
const entriesSql = `select entry_id, cast(amount as varchar) as amount, debit_account, credit_account, cast(lines as varchar) as lines
  from construction.ledger_entries`

interface Copy {
  readonly name: string
  readonly events: Rows
  readonly ipcs: Rows
  readonly paid: Rows
  readonly entries: Rows
}

const some = (names: ReadonlyArray<string>): string =>
  `${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`

/** Every acknowledged event is there once, and no event that wasn't sent. */
const wrongEvents = ({ events, name }: Copy, world: World, isExact: boolean): ReadonlyArray<string> => {
  const { acknowledged, attempts, tale } = world.sender
  const byHash = Map.groupBy(events, (row) => String(row["body_sha256"]))
  const of = new Map(tale.told.map((event) => [event.sha256, event]))
  const lost = [...acknowledged.keys()].filter((sha256) => !byHash.has(sha256))
  const doubled = [...byHash].filter(([, rows]) => rows.length > 1).map(([sha256]) => sha256)
  const strange = events.filter(
    (row) => !attempts.has(String(row["body_sha256"])) && row["event_type"] !== "webhook.ping"
  )
  const unapplied = events.filter((row) => of.has(String(row["body_sha256"])) && row["outcome"] !== "applied")
  const miscounted = !isExact
    ? []
    : events.filter((row) => {
        const sha256 = String(row["body_sha256"])
        const count = Number(row["deliveries"])
        return of.has(sha256) && (count < (acknowledged.get(sha256) ?? 0) || count > (attempts.get(sha256) ?? 0))
      })
  return [
    ...(lost.length > 0
      ? [`${name} lacks ${lost.length} acknowledged events (${some(lost.map((one) => of.get(one)?.ipc ?? one))})`]
      : []),
    ...(doubled.length > 0 ? [`${name} has ${doubled.length} events twice`] : []),
    ...(strange.length > 0 ? [`${name} has ${strange.length} events that were never sent`] : []),
    ...(unapplied.length > 0 ? [`${name} has ${unapplied.length} genuine events in quarantine`] : []),
    ...(miscounted.length > 0 ? [`${name} counts deliveries of ${miscounted.length} events wrongly`] : [])
  ]
}

const differing = <A>(expected: ReadonlyMap<string, A>, found: ReadonlyMap<string, A>): ReadonlyArray<string> =>
  [...new Set([...expected.keys(), ...found.keys()])].filter(
    (key) => JSON.stringify(expected.get(key)) !== JSON.stringify(found.get(key))
  )

/** The rows and the money are those of the events that the copy holds. */
const wrongRows = ({ events, ipcs, name, paid }: Copy, told: ReadonlyArray<Told>): ReadonlyArray<string> => {
  const held = new Set(events.map((row) => String(row["body_sha256"])))
  const expected: ReadonlyMap<string, Ipc> = model(told.filter(({ sha256 }) => held.has(sha256)))
  const rows = new Map(ipcs.map((row) => [String(row["id"]), [row["status"], row["certified"] ?? null]]))
  const wrong = differing(new Map([...expected].map(([id, ipc]) => [id, [ipc.status, ipc.certified ?? null]])), rows)
  const posted = new Map(paid.map((row) => [String(row["ipc_id"]), String(row["paid"])]))
  const due = new Map([...expected].flatMap(([id, ipc]) => (ipc.paid === undefined ? [] : [[id, ipc.paid] as const])))
  const misposted = differing(due, posted)
  return [
    ...(wrong.length > 0 ? [`${name} has wrong rows of ${some(wrong)}`] : []),
    ...(misposted.length > 0 ? [`${name} has wrong amounts posted for ${some(misposted)}`] : [])
  ]
}

const movedIn = (entries: Rows) => new Map(entries.map((row) => [String(row["entry_id"]), moved(row)]))

/** Every entry is balanced, and moves the same amounts on each account as in the first copy. */
const wrongEntries = (copies: ReadonlyArray<Copy>): ReadonlyArray<string> =>
  copies.flatMap(({ entries, name }) => {
    const unbalanced = entries.filter((row) => !isBalanced(row))
    const wrong = differing(movedIn(copies[0]?.entries ?? []), movedIn(entries))
    return [
      ...(unbalanced.length > 0 ? [`${name} has ${unbalanced.length} entries that don't add up to zero`] : []),
      ...(wrong.length > 0 ? [`${name} moves other amounts in ${wrong.length} entries (${some(wrong)})`] : [])
    ]
  })

const read = async (name: string, ask: (sql: string) => Promise<Rows>): Promise<Copy> => ({
  name,
  events: await ask(eventsSql),
  ipcs: await ask(ipcsSql),
  paid: await ask(paidSql),
  entries: await ask(entriesSql)
})

interface Manifest {
  readonly tables: Readonly<Record<string, { readonly files: ReadonlyArray<{ readonly path: string }> }>>
}

/** Reads the newest export as someone without the product would. */
const parquet = async (lake: string) => {
  const parse = (path: string): unknown => JSON.parse(readFileSync(join(lake, path), "utf8"))
  const { manifest } = parse("latest.json") as { readonly manifest: string }
  const { tables } = parse(manifest) as Manifest
  return read("the export", (sql) =>
    inDuckDb(
      undefined,
      sql.replace(/construction\.(\w+)/, (_, table: string) => {
        const files = (tables[table]?.files ?? []).map(({ path }) => `'${join(lake, path)}'`)
        return `read_parquet([${files.join(", ")}], union_by_name = true)`
      })
    )
  )
}

/** The accounting system holds what the books say. */
const wrongSink = async ({
  sink,
  warehouse
}: {
  readonly sink: World["sink"]
  readonly warehouse: World["warehouse"]
}) => {
  const entries = await warehouse(entriesSql)
  const booked = new Map(entries.map((row) => [String(row["entry_id"]), [String(row["amount"]), ...moved(row)]]))
  const received = new Map([...sink.entries].map(([id, { amount, lines }]) => [id, [amount, ...movedBy(lines)]]))
  const wrong = differing(booked, received)
  return [...sink.complaints, ...(wrong.length > 0 ? [`the accounting system differs in ${wrong.length} entries`] : [])]
}

/** Every look-up by key finds what a scan of the whole table finds. */
const wrongKeys = async (world: World): Promise<ReadonlyArray<string>> => {
  const tables = [
    ["ipcs", "id"],
    ["events", "body_sha256"],
    ["ledger_entries", "entry_id"]
  ] as const
  const broken: Array<string> = []
  for (const [table, key] of tables) {
    const scanned = await world.warehouse(`select ${key} as key from construction.${table}`)
    const keys = scanned.map((row) => String(row["key"]))
    if (keys.length === 0) continue
    const looked = keys.map(
      (value) => `(select count(*) from construction.${table} where ${key} = '${value.replaceAll("'", "''")}')`
    )
    const [row] = await world.warehouse(`select cast(${looked.slice(0, 500).join(" + ")} as varchar) as found`)
    const expected = Math.min(500, keys.length)
    if (Number(row?.["found"]) !== expected)
      broken.push(`look-ups by ${table}.${key} find ${String(row?.["found"])} of ${expected} rows`)
  }
  if (world.engine === "duckdb") {
    const store = new DatabaseSync(join(world.dataDir, "store.sqlite"), { readOnly: true })
    const [{ integrity_check: verdict } = {}] = store.prepare("pragma integrity_check").all()
    store.close()
    if (verdict !== "ok") broken.push(`the store's integrity check says ${String(verdict)}`)
  }
  return broken
}

const wrongVerdicts = async (world: World): Promise<ReadonlyArray<string>> => {
  const verbs = [
    ["ledger", "verify"],
    ["lake", "verify"]
  ] as const
  const broken: Array<string> = []
  for (const verb of verbs) {
    const { code, stderr, stdout } = await world.run(verb)
    if (code !== 0)
      broken.push(`siteledger ${verb.join(" ")} ends with ${code}: ${(stderr || stdout).trim().slice(-200)}`)
  }
  return broken
}

export interface Judged {
  readonly violations: ReadonlyArray<string>
  readonly events: number
  readonly entries: number
}

/**
 * Waits until everything is delivered and applied, exports and publishes, stops the worker, and compares. `isExact`:
 * also compares the counts of deliveries. `lakeOf`: returns the folder with the exports, once they are written.
 */
export const judge = async (
  world: World,
  worker: Worker,
  isExact = true,
  lakeOf: () => string = () => join(world.dataDir, "lake")
): Promise<Judged> => {
  await worker.reaches("the worker is up")
  await world.sender.settle()
  await worker.reaches("everything is applied", ({ inbox }) => inbox.pending === 0)
  await worker.reaches("every entry is sent", ({ ledger }) => (ledger.sink?.backlog ?? 0) === 0)
  const undone: Array<string> = []
  for (const verb of ["export", "publish"]) {
    if ((await worker.verb(verb)) === undefined) undone.push(`${verb} failed: ${worker.refusal}`)
  }
  const code = await worker.stop()
  const copy = await read("the warehouse", (sql) => world.warehouse(sql))
  const lake = await parquet(lakeOf()).catch(
    (cause: unknown) => `the export can't be read: ${text(cause).slice(0, 200)}`
  )
  const copies = [copy, await read("the analysts' copy", (sql) => world.published(sql))]
  if (typeof lake !== "string") copies.push(lake)
  const violations = [
    ...(typeof lake === "string" ? [lake] : []),
    ...undone,
    ...(code === 0 ? [] : [`the worker ended with ${code}`]),
    ...copies.flatMap((each) => [...wrongEvents(each, world, isExact), ...wrongRows(each, world.sender.tale.told)]),
    ...wrongEntries(copies),
    ...(world.environment["SITELEDGER_LEDGER_SINK_URL"] === undefined
      ? []
      : await wrongSink({ sink: world.sink, warehouse: (sql) => world.warehouse(sql) })),
    ...(await wrongKeys(world)),
    ...(await wrongVerdicts(world))
  ]
  return { violations, events: copy.events.length, entries: copy.paid.length }
}
