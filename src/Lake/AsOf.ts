/**
 * What an export says about its time: the last delivery up to which everything is applied, what was still pending, and
 * how sure the copy of each list is.
 */
import { Effect } from "effect"
import type { Instant } from "../Domain/Instant.ts"
import { Inbox } from "../Intake/Inbox.ts"
import type { Store, StoreError } from "../Stores/Store.ts"
import type { Snapshot } from "../Stores/Warehouse.ts"
import * as Checkpoints from "../Walk/Checkpoints.ts"
import type * as Manifest from "./Manifest.ts"

/** `at`: a time before the snapshot. */
export const of = Effect.fnUntraced(function* (store: Store["Service"], { watermark }: Snapshot, at: Instant) {
  const inbox = yield* Inbox
  const oldest = yield* inbox.receivedAfter(watermark)
  return {
    sequence: watermark,
    at,
    oldestPending: oldest !== null && oldest <= at ? oldest : null,
    walks: yield* walks(store)
  } satisfies Manifest.AsOf
})

/** From the Store, so that an export needs no running walk. */
const walks = (store: Store["Service"]): Effect.Effect<Manifest.AsOf["walks"], StoreError> =>
  Effect.map(Checkpoints.loadAll(store), (states) =>
    Object.fromEntries(states.map(({ proof, proof_at: at, resource }) => [resource, { proof: proof ?? "running", at }]))
  )
