/**
 * Where the fields of a record came from, by their versions. A version ends with the hash of the body that set the
 * field, and the events and the evidence in the books have the hashes of theirs. For pages and other look-ups only the
 * version is kept.
 */
import { Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import * as Version from "../../Domain/Version.ts"
import { Store } from "../../Stores/Store.ts"
import { Warehouse } from "../../Stores/Warehouse.ts"
import type { Answer } from "../AdminApi.ts"

export type Origin = NonNullable<Answer<"record">["fields"][number]["said"]>

export interface About {
  readonly table: string
  readonly id: string
}

/** By the beginnings of their hashes, as ranges, which can use an index. */
const eventsOf = ({ id, table }: About, hashes: ReadonlyArray<string>) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.query((db) =>
      db
        .selectFrom("construction.events")
        .select(["body_sha256", "sequence", "event_id", "event_type"])
        .where("entity", "=", table)
        .where("entity_id", "=", id)
        .where(({ and, eb, or }) =>
          or(hashes.map((hash) => and([eb("body_sha256", ">=", hash), eb("body_sha256", "<", `${hash}g`)])))
        )
        .execute()
    )
  )

/** For an IPC: the hashes of answers on which facts rest. */
const lookedUp = ({ id, table }: About) =>
  table !== "ipcs"
    ? Effect.succeed([])
    : Effect.flatMap(Store, (store) =>
        store.run(async (db) => {
          const facts = db.selectFrom("ledger_facts").select("content").where("ipc_id", "=", id)
          const rows = await facts.where("kind", "=", "looked-up").execute()
          return rows.map(({ content }) => String((JSON.parse(content) as { readonly sha256?: string }).sha256))
        })
      )

/** For each of these versions. */
export const originIn = Effect.fnUntraced(function* (about: About, versions: ReadonlyArray<Version.Version>) {
  const hashes = [...new Set(versions.map(Version.hashIn))].filter((hash) => hash !== "")
  const events = hashes.length === 0 ? [] : yield* eventsOf(about, hashes)
  const answers = yield* lookedUp(about)
  const unsaid = { event_id: null, event_type: null, sequence: null }
  return (version: Version.Version): Origin => {
    const known = { at: Instant.fromMicros(Version.timeIn(version)), version }
    if (Version.hashIn(version) === "") return { by: "absence", ...known, ...unsaid }
    const event = events.find(({ body_sha256 }) => Version.isOf(version, body_sha256))
    if (event !== undefined) {
      const { event_id, event_type, sequence } = event
      return { by: "event", ...known, event_id, event_type, sequence: Number(sequence) }
    }
    const isLookUp = answers.some((hash) => Version.isOf(version, hash))
    return { by: isLookUp ? "look-up" : "read", ...known, ...unsaid }
  }
})
