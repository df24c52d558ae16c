/**
 * Past walks for a person: the passes that have ended, for all lists or for one, newest first, a page at a time. A page
 * begins after the last pass of the previous page, so it stays the same even if more passes have ended since.
 */
import { Effect } from "effect"
import { sql } from "kysely"
import * as Instant from "../Domain/Instant.ts"
import { Store } from "../Stores/Store.ts"
import * as Checkpoints from "../Walk/Checkpoints.ts"
import type { Ended } from "../Walk/Passes.ts"
import type { Answer, Payload } from "./AdminApi.ts"
import { VerbError } from "./AdminApi/Verb.ts"

type Walk = Answer<"walks">["walks"][number]

const usual = 50

interface End {
  readonly at: string
  readonly list: string
}

/** The end of a page. */
const endOf = ({ endedAt, list }: Walk): string => `${endedAt} ${list}`

const read = (end: string): End | undefined => {
  const [at = "", ...list] = end.split(" ")
  return Instant.readMicros(at) === undefined || list.length === 0 ? undefined : { at, list: list.join(" ") }
}

const shown = ({ deleted, disturbance, pages, parents, parents_sure, pass, rows, ...ended }: Ended): Walk => ({
  list: ended.resource,
  pass,
  startedAt: ended.started_at,
  endedAt: ended.ended_at,
  proof: ended.proof as Walk["proof"],
  disturbance,
  rows: Number(rows),
  total: Number(ended.total),
  pages,
  deleted: Number(deleted),
  parents: parents === null ? null : { found: parents, proven: parents_sure ?? 0 }
})

/** One more than requested. */
const found = (list: string | undefined, end: End | undefined, last: number) =>
  Effect.flatMap(Store, (store) =>
    store.run((db) =>
      db
        .selectFrom("walk_passes")
        .selectAll()
        .$if(list !== undefined, (all) => all.where("resource", "=", list ?? ""))
        .$if(end !== undefined, (all) =>
          all.where(sql<boolean>`(ended_at, resource) < (${end?.at ?? ""}, ${end?.list ?? ""})`)
        )
        .orderBy("ended_at", "desc")
        .orderBy("resource", "desc")
        .limit(last + 1)
        .execute()
    )
  )

/** A list may have been walked by a version that recorded no passes, or its first pass may still be running. */
const assertKnown = Effect.fnUntraced(function* (list: string) {
  const walks = yield* Checkpoints.loadAll(yield* Store)
  if (walks.some(({ resource }) => resource === list)) return
  const names = walks.map(({ resource }) => resource).join(", ") || "none yet"
  return yield* new VerbError({ message: `No list ${list} has been walked. These have: ${names}.` })
})

export const walks = Effect.fnUntraced(function* ({ after, last = usual, list }: Payload<"walks">) {
  const end = after === undefined ? undefined : read(after)
  if (after !== undefined && end === undefined) {
    return yield* new VerbError({ message: `No page of walks ends at ${after}: give the \`next\` of a page.` })
  }
  const rows = (yield* found(list, end, last)).map(shown)
  if (list !== undefined && rows.length === 0) yield* assertKnown(list)
  const page = rows.slice(0, last)
  const ending = page.at(-1)
  return {
    walks: page,
    next: rows.length > last && ending !== undefined ? endOf(ending) : null
  } satisfies Answer<"walks">
})
