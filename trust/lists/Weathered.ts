/**
 * A service with lists that siteledger doesn't know, a walker of these lists, and one storm over both: afterwards, once
 * everything is calm, the tables are compared with the service's records.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Catalogue } from "../../sandbox/Catalogue.ts"
import type { Attack } from "../Goal.ts"
import { pause } from "../../bench/Waiting.ts"
import { Walking } from "../../bench/Walking.ts"
import type { Worker } from "../../bench/WorkerProcess.ts"
import { World } from "../World.ts"
import { compare, type Learned, sqlFor } from "./Compare.ts"
import { calm, storm, type Weather } from "./Storm.ts"
import { type List, switchOn, type Switched } from "./Switched.ts"

/** The length of a storm in requests, and its longest duration. */
const requests = 160
const mostMs = 20_000
/** The time in which at least one page must be read: on a busy machine all of them together may take any time. */
const patienceMs = 300_000
/** Nothing changes any more: a list that isn't proven after this many passes never will be. */
const mostPasses = 10
/** Each answer costs a worker something. */
const lookMs = 200

export interface Place extends Switched {
  readonly world: World
  readonly catalogue: Catalogue
  readonly weather: Weather
  readonly environment: Readonly<Record<string, string>>
}

/** Includes the resources above, on whose records the others depend. */
const resourcesOf = ({ names, truth }: Catalogue, lists: ReadonlyArray<List>): ReadonlyArray<string> => {
  const patterns = lists.map(
    ({ read }) => new RegExp(`^${read.replace("GET ", "").replaceAll(/\{[^}]*\}/g, "[^/]+")}$`)
  )
  return names.filter((name) => patterns.some((pattern) => pattern.test(truth(name)[0]?.list ?? "")))
}

/** `siteledger discover` writes the review file, and then it is edited. */
export const open = async (attack: Attack): Promise<Place> => {
  const { dice } = attack
  const world = await World.open(attack, {
    sandbox: { openapi: "full", projects: 3, records: 15, pageSizeMax: 5 },
    environment: { SITELEDGER_WALK_EVERY: "1 second", SITELEDGER_REQUESTS_PER_MINUTE: "600000" },
    hasSink: false
  })
  const { catalogue } = world.sandbox
  if (catalogue === undefined) throw new Error("the sandbox has no catalogue")
  const review = join(world.dataDir, "resources.json")
  const discovered = await world.run(["discover", `${world.sandbox.baseUrl}/openapi.json`, "--review", review])
  if (discovered.code !== 0) throw new Error(`discover ended with ${discovered.code}: ${discovered.stderr}`)
  const { lists, sameAs } = switchOn(review, dice)
  const [first = "", ...others] = resourcesOf(catalogue, lists)
  const keys = new Set(lists.flatMap(({ key }) => key))
  const isFixed = (field: string) => keys.has(field) || /(^|_)(id|at)$/.test(field)
  const scopes = new Set(["projects.read", "webhooks.write", ...lists.flatMap(({ scope }) => scope)])
  return {
    world,
    catalogue,
    lists,
    sameAs,
    weather: { sandbox: world.sandbox, catalogue, dice, resources: [first, ...others], isFixed },
    environment: {
      ...world.environment,
      SITELEDGER_RESOURCES: review,
      SITELEDGER_SCOPES: [...scopes].join(" ")
    }
  }
}

/** A list's progress in Status. */
interface Progress {
  readonly at: string | null
  readonly proof: string | null
  readonly pagesDone: number
}

/** A whole worker, or only its walks. */
interface Walker {
  readonly backfill: () => Promise<Readonly<Record<string, Progress | undefined>>>
  /** What it reports to be wrong. */
  readonly why: () => Promise<string>
  /** A sentence if it didn't end well. */
  readonly end: () => Promise<string | undefined>
  readonly kill: () => Promise<unknown>
}

const ofWorker = (worker: Worker): Walker => ({
  backfill: async () => {
    if (worker.hasEnded) throw new Error(`the worker ended with ${worker.exitCode}: ${worker.log.slice(-500)}`)
    return (await worker.status())?.backfill ?? {}
  },
  why: async () => (await worker.status())?.reasons.join(" ") ?? "",
  end: async () => {
    const code = await worker.stop()
    return code === 0 ? undefined : `the worker ended with ${code}`
  },
  kill: () => worker.kill()
})

const inProcess = async (environment: Place["environment"]): Promise<Walker> => {
  const walking = new Walking(environment)
  await walking.backfill()
  return {
    backfill: () => walking.backfill(),
    why: () => walking.reasons(),
    end: () => walking.end().then(() => undefined),
    kill: () => walking.end()
  }
}

interface Ends {
  at: string | null | undefined
  /** How many passes since the list above was sure. */
  count: number
}

/**
 * Waits until each list has ended two passes from now on that agree, the second of which has read nothing from before.
 * Their duration depends on the machine, so only the number of passes is judged, and that they go on.
 */
const proven = async ({ backfill, why }: Walker, lists: Place["lists"]): Promise<void> => {
  let last = await backfill()
  const ends = new Map(lists.map(({ table }): readonly [string, Ends] => [table, { at: last[table]?.at, count: 0 }]))
  const fail = async (what: string): Promise<never> => {
    const unsure = lists.map(({ table }) => `${table} ${last[table]?.proof} after ${ends.get(table)?.count}`)
    throw new Error(`${what}: ${unsure.join(", ")}. ${await why()}`)
  }
  const isSure = (table: string): boolean =>
    (ends.get(table)?.count ?? 2) >= 2 && ["proven", "passes-agree"].includes(last[table]?.proof ?? "")
  /** True once all lists are sure. */
  const look = async (): Promise<boolean> => {
    last = await backfill()
    for (const { parent, table } of lists) {
      const end = ends.get(table)
      const at = last[table]?.at
      if (end === undefined || at == null || at === end.at) continue
      end.at = at
      end.count = parent === undefined || isSure(parent.table) ? end.count + 1 : 0
      if (end.count >= mostPasses && !isSure(table)) await fail(`${table} isn't proven after ${end.count} passes`)
    }
    return lists.every(({ table }) => isSure(table))
  }
  const pages = (): string => JSON.stringify(Object.values(last).map((walk) => [walk?.at, walk?.pagesDone]))
  let moved = { pages: pages(), at: performance.now() }
  while (!(await look())) {
    const now = performance.now()
    if (pages() !== moved.pages) moved = { pages: pages(), at: now }
    if (now - moved.at > patienceMs) await fail(`no page was read in ${patienceMs / 1000} s`)
    await pause(lookMs)
  }
}

const learnedSql = "select resource, name, field, type, beside from learned_columns"

const learnedIn = async (world: World): Promise<ReadonlyArray<Learned>> => {
  if (world.engine !== "duckdb") {
    return (await world.warehouse(learnedSql.replace("from ", "from siteledger."))) as unknown as ReadonlyArray<Learned>
  }
  const store = new DatabaseSync(join(world.dataDir, "store.sqlite"), { readOnly: true })
  const rows = store.prepare(learnedSql).all()
  store.close()
  return rows as unknown as ReadonlyArray<Learned>
}

/** A learned column is in the Store before the table has it. */
const addedIn = async (world: World): Promise<ReadonlyArray<Learned>> => {
  const columns = await world.warehouse(
    "select table_name, column_name from information_schema.columns where table_schema = 'construction'"
  )
  const there = new Set(columns.map((row) => `${String(row["table_name"])}.${String(row["column_name"])}`))
  return (await learnedIn(world)).filter(({ name, resource }) => there.has(`${resource}.${name}`))
}

/** Runs once nothing walks any more. */
const judged = async ({ catalogue, lists, sameAs, world }: Place) => {
  const learned = await addedIn(world)
  const truth = catalogue.names.flatMap((name) => catalogue.truth(name))
  const violations: Array<string> = []
  let records = 0
  for (const list of lists) {
    const compared = compare(list, sameAs(list), await world.warehouse(sqlFor(list, learned)), truth, learned)
    violations.push(...compared.violations)
    records += compared.records
  }
  return { violations, records, columns: learned.length }
}

/** `isWhole`: starts a worker, and kills it in the middle; otherwise only its walks run, and are ended there. */
export const weathered = async (place: Place, isWhole: boolean) => {
  const { environment, lists, weather, world } = place
  const { dice } = weather
  const start = async () => (isWhole ? ofWorker(world.start(environment)) : inProcess(environment))
  let walker = await start()
  const isCut = isWhole || dice.chance(0.3)
  let happened = await storm(weather, isCut ? dice.below(requests) : requests, mostMs)
  if (isCut) {
    await walker.kill()
    walker = await start()
    happened += await storm(weather, requests / 2, mostMs)
  }
  calm(weather)
  const unproven = await proven(walker, lists).then(
    () => [],
    (cause: unknown) => [String(cause)]
  )
  const bad = await walker.end()
  const unreadable = (cause: unknown) => ({ columns: 0, records: 0, violations: [String(cause)] })
  const { columns, records, violations } = await judged(place).catch(unreadable)
  return { happened, columns, records, violations: [...unproven, ...(bad === undefined ? [] : [bad]), ...violations] }
}
