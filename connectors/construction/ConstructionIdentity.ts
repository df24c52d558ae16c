/**
 * To which service and client this Store belongs. A Store of another service is refused, so a sandbox's payments never
 * reach real books. Another version of the same API (§9: /v2 for /v1) is the same service.
 */
import { Effect, Layer } from "effect"
import { ServiceSettings, Settings } from "../../config/Settings.ts"
import * as Moved from "../../src/Operate/Move/Moved.ts"
import { byEngine } from "../../src/Stores/Engine.ts"
import { readMeta, Store, StoreError, writeMeta } from "../../src/Stores/Store.ts"
import * as LogLine from "../../src/Runtime/LogLine.ts"

const key = "service"

const identify = Effect.gen(function* () {
  const { baseUrl, clientId } = yield* ServiceSettings
  const store = yield* Store
  yield* Moved.settle
  const ours = JSON.stringify({ baseUrl: baseUrl.href, clientId })
  const known = yield* store.run((db) => readMeta(db, key))
  if (known === ours) return
  const write = Effect.asVoid(store.transaction((tx) => writeMeta(tx, key, ours)))
  if (known === undefined) return yield* write
  if (isSame(known, ours)) {
    yield* write
    return yield* LogLine.write("service.moved", { service: baseUrl.href, before: known })
  }
  const [variable, place] = byEngine(yield* Settings, {
    embedded: () => ["SITELEDGER_DATA_DIR", "directory"],
    server: () => ["SITELEDGER_WAREHOUSE", "database"]
  })
  return yield* new StoreError({
    reason: "Foreign",
    message:
      `The store in ${variable} holds another service's records (${known}), but ${ours} is configured. ` +
      `Choose another ${place}, or set SITELEDGER_BASE_URL and SITELEDGER_CLIENT_ID as they were.`
  })
})

/** Whether both are the same service and client, at any version. */
export const isSame = (noted: string, ours: string): boolean => withoutVersion(noted) === withoutVersion(ours)

const withoutVersion = (noted: string): string => {
  const { baseUrl, clientId } = JSON.parse(noted) as { readonly baseUrl: string; readonly clientId: string }
  return JSON.stringify([baseUrl.replace(/\/v\d+$/, ""), clientId])
}

/** Belongs between the stores and everything that talks to the service. */
export const layer = Layer.effectDiscard(identify)
