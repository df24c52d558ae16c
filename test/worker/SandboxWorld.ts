/**
 * A worker process whose service is a sandbox in the process of the test; and what the sandbox says is true beside
 * what the warehouse holds, in one form: by table and id, as text.
 */
import { Effect } from "effect"
import type { Sandbox, SandboxTruth } from "../../sandbox/Sandbox.ts"
import { type Environment, RunningWorker } from "../RunningWorker.ts"
import { applied } from "./Past.ts"
import { Place } from "./Place.ts"

/** Where workers on the sandbox keep their data; ends with the scope. */
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
 * Until two walks have ended that began after now: only two that agree take a record away that is gone. The first end
 * is that of a walk under way.
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

/** A table with all columns that events or lists can fill, and the rows that aren't deleted. */
const tableOf = async (place: Place, name: string): Promise<Records> => {
  const columns = await place.query(
    `select column_name from duckdb_columns() where table_name = '${name}' and column_name not similar to '_.*|id'`
  )
  const texts = columns.map((column) => asText(String(column["column_name"])))
  const rows = await place.query(
    `select id::varchar as id, ${texts.join(", ")} from construction.${name} where _deleted_at is null`
  )
  const said = (row: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(row).flatMap(([key, text]) => (text === null ? [] : [[key, String(text)]])))
  return Object.fromEntries(rows.map(({ id, ...row }) => [String(id), said(row)]))
}

/** Once all is applied and walked, the worker is ended, and its tables are read. */
export const endOf = ({ place, worker }: Working, names: ReadonlyArray<string>) =>
  Effect.promise(async (): Promise<Tables> => {
    await walkedAgain(worker)
    await applied(worker)
    await worker.stop()
    const tables: Record<string, Records> = {}
    for (const name of names) tables[name] = await tableOf(place, name)
    return tables
  })
