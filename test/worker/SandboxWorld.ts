/**
 * A worker process whose service is a sandbox in the test's process; and, for comparison, what the sandbox says is true and
 * what the warehouse holds, both by table and id, as text.
 */
import { Effect } from "effect"
import type { Sandbox, SandboxTruth } from "../../sandbox/Sandbox.ts"
import { type Environment, RunningWorker } from "../RunningWorker.ts"
import { applied } from "./Past.ts"
import { Place } from "./Place.ts"

/** Where workers on the sandbox keep their data, until the scope ends. */
export const placeOf = (service: Parameters<typeof Place.open>[0]) =>
  Effect.acquireRelease(
    Effect.promise(() => Place.open(service)),
    (place) =>
      Effect.promise(async () => {
        await place[Symbol.asyncDispose]()
      })
  )

/** Ends with the scope. */
export const startedOn = ({ environment }: Place, extra: Environment) =>
  Effect.acquireRelease(
    Effect.sync(() => RunningWorker.start({ ...environment, ...extra })),
    (worker) => Effect.promise(() => worker.stop("SIGKILL"))
  )

export interface Working {
  readonly place: Place
  readonly worker: RunningWorker
}

/** Walks all the time. */
export const startWorker = ({ authUrl, baseUrl, options }: Sandbox) =>
  Effect.gen(function* () {
    const place = yield* placeOf({ ...options, authUrl, baseUrl })
    const worker = yield* startedOn(place, {
      SITELEDGER_SCOPES: "projects.read webhooks.write",
      SITELEDGER_WALK_EVERY: "300 millis"
    })
    return { place, worker } satisfies Working
  })

/**
 * Waits for the ends of three walks: one under way, and two that began after now. Only two walks that agree remove a record
 * that is gone.
 */
const walkedAgain = async (worker: RunningWorker): Promise<void> => {
  for (let ends = 0; ends < 3; ends++) {
    const { backfill } = await worker.status("a status")
    const before = backfill["projects"]?.at
    await worker.status("a walk has ended", (report) => report.backfill["projects"]?.at !== before)
  }
}

type Records = Readonly<Record<string, Readonly<Record<string, string>>>>
type Tables = Readonly<Record<string, Records>>

export const truthOf = (truth: SandboxTruth): Tables => {
  const projects = Array.from({ length: truth.projectCount }, (_, place) => truth.project(place))
  const tables: Record<string, Record<string, Record<string, string>>> = {
    projects: Object.fromEntries(projects.map(({ id, name, status }) => [id, { name, status }]))
  }
  for (const { entity, fields, id, status } of truth.entities) (tables[entity] ??= {})[id] = { ...fields, status }
  return tables
}

/** As the truth writes it: times in ISO 8601 with microseconds, hours without needless decimals. */
const asText = (column: string): string => {
  if (column.endsWith("_at")) return `strftime(${column} at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ') as ${column}`
  if (column === "hours_until_expiry") return `format('{:g}', ${column}::double) as ${column}`
  return `${column}::varchar as ${column}`
}

/** The rows that aren't deleted, with all columns that events or lists can fill. */
const tableOf = async (place: Place, name: string): Promise<Records> => {
  const columns = await place.query(
    `select column_name from duckdb_columns() where table_name = '${name}' and column_name not similar to '_.*|id'`
  )
  const texts = columns.map((column) => asText(String(column["column_name"])))
  const rows = await place.query(
    `select id::varchar as id, ${texts.join(", ")} from construction.${name} where _deleted_at is null`
  )
  const valuesOf = (row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(row).flatMap(([key, text]) => (text === null ? [] : [[key, String(text)]])))
  return Object.fromEntries(rows.map(({ id, ...row }) => [String(id), valuesOf(row)]))
}

/** Ends the worker once everything is applied and walked, and reads its tables. */
export const endOf = ({ place, worker }: Working, names: ReadonlyArray<string>) =>
  Effect.promise(async (): Promise<Tables> => {
    await walkedAgain(worker)
    await applied(worker)
    await worker.stop()
    const tables: Record<string, Records> = {}
    for (const name of names) tables[name] = await tableOf(place, name)
    return tables
  })
