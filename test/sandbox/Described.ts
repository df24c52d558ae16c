/** What the tests of the API's description share: a sandbox with records, its document, and the operations in it. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import { type Document, methods, type Operation } from "../../sandbox/Description/OpenApi.ts"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"

const quiet: SandboxOptions = { eventsPerSecond: 0, startAt: "2026-01-05T08:00:00Z", plan: Infinity }

export const started = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ ...quiet, ...options })
  yield* sandbox.emit(sandbox.events.blockLength)
  const http = yield* HttpClient.HttpClient
  const answer = yield* http.get(`${sandbox.baseUrl}/openapi.json`)
  assert.strictEqual(answer.headers["content-type"], "application/json")
  const document = (yield* answer.json) as unknown as Document
  return { sandbox, http, document }
})

export interface Described {
  readonly method: string
  readonly path: string
  readonly base: string
  readonly operation: Operation
}

export const operations = ({ paths, servers }: Document): ReadonlyArray<Described> =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      const base = (item.servers ?? servers)[0]?.url ?? ""
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, base, operation }]
    })
  )
