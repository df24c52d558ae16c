/**
 * What the tests of the REST side share: a sandbox that moves only by `emit`, requests with a valid token, whole lists,
 * and the records by the deliveries' own bodies. Numbers stay as they were written.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { ConstructionTokenApi, Pagination } from "../../connectors/construction/ConstructionApi.ts"
import { AssumedApi } from "../../sandbox/AssumedApi.ts"
import type { Entity } from "../../sandbox/Lifecycles.ts"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"
import * as Json from "../../src/Domain/Json.ts"

export const paths = {
  ipcs: "/ipcs",
  vos: "/vos",
  ncrs: "/ncrs",
  hse_incidents: "/hse-incidents",
  permits: "/permits",
  transmittals: "/transmittals"
} as const satisfies Record<Entity, string>
export const entities: ReadonlyArray<Entity> = ["ipcs", "vos", "ncrs", "hse_incidents", "permits", "transmittals"]

const quiet: SandboxOptions = { eventsPerSecond: 0, startAt: "2026-01-05T08:00:00Z", plan: Infinity }

export const started = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ ...quiet, ...options })
  const http = yield* HttpClient.HttpClient
  const oauth = yield* HttpApiClient.make(ConstructionTokenApi, { baseUrl: sandbox.authUrl })
  const { access_token: token } = yield* oauth.oauth.token({
    payload: { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }
  })
  const get = (path: string) =>
    http.execute(HttpClientRequest.get(`${sandbox.baseUrl}${path}`).pipe(HttpClientRequest.bearerToken(token)))
  const assumed = yield* HttpApiClient.make(AssumedApi, {
    baseUrl: sandbox.baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token))
  })
  return { sandbox, get, assumed }
})
export type Get = Effect.Success<ReturnType<typeof started>>["get"]

export type Row = Readonly<Record<string, unknown>>

const rowOf = (value: unknown): Row => (Json.isObject(value) ? value : assert.fail("an object was expected"))

/** Of a record or an error. */
export const readRow = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(response.text, (text) => rowOf(Json.parse(text)))

export const readPage = Effect.fnUntraced(function* (get: Get, path: string) {
  const response = yield* get(path)
  assert.strictEqual(response.status, 200, path)
  const { data, pagination } = yield* readRow(response)
  assert.isArray(data)
  const rows: ReadonlyArray<Row> = (data as ReadonlyArray<unknown>).map(rowOf)
  return { rows, pagination: yield* Schema.decodeUnknownEffect(Pagination)(pagination) }
})

/** `between`: what happens from one page to the next. */
export const walk = Effect.fnUntraced(function* (
  get: Get,
  path: string,
  perPage: number,
  between: Effect.Effect<void> = Effect.void
) {
  const rows: Array<Row> = []
  for (let page = 1; ; page++) {
    const { pagination, rows: more } = yield* readPage(get, `${path}?page=${page}&per_page=${perPage}`)
    rows.push(...more)
    if (page * perPage >= pagination.total) return { total: pagination.total, rows }
    yield* between
  }
})

/** The id comes first in every record. */
export const idOf = (row: Row): string => {
  const [id] = Object.values(row)
  return typeof id === "string" ? id : Json.stringify(id)
}

/** The contents of each entity by the delivered bodies; later ones win. */
export const rowsFromBodies = ({ events, truth }: Sandbox, entity: Entity): ReadonlyArray<Row> => {
  const rows = new Map<string, Row>()
  const { steps } = truth()
  for (let step = 0; step < steps; step++) {
    const event = events.at(step)
    if (event.entity !== entity) continue
    const { data, event_timestamp } = rowOf(Json.parse(events.body(step)))
    const stage = { status: event.status, [`${event.type.split(".").at(-1)}_at`]: event_timestamp }
    rows.set(event.id, { ...rows.get(event.id), ...rowOf(data), ...stage })
  }
  return [...rows.values()]
}

export const errorOf = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const { error, message } = yield* readRow(response)
  assert.isString(message)
  return `${response.status} ${String(error)}`
})
