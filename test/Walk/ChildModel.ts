/**
 * The lists below the rows of a table, in memory: pages are cut from them when they are requested, with a hook before
 * each answer. The requests are noted, and how many were in flight at once.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import type { ChildList, SerialPage, SourceError } from "../../src/Walk/Source.ts"

const firstMicros = Date.UTC(2026, 10, 20) * 1000
const pageSize = 2

/** Its parents are incidents, its records projects: both tables are in every warehouse. */
export interface ChildModel extends ChildList {
  /** By parent. */
  readonly ids: Map<string, Array<number>>
  readonly asked: Array<string>
  /** Before a page is cut. */
  onAsk: (parent: string, from: string | undefined) => Effect.Effect<void, SourceError>
  mostAtOnce: number
}

export const children = (ids: Readonly<Record<string, ReadonlyArray<number>>>, isCounted = true): ChildModel => {
  let underWay = 0
  let asks = 0
  const model: ChildModel = {
    resource: "projects",
    isCounted,
    parent: { table: "hse_incidents", columns: ["id"] },
    ids: new Map(Object.entries(ids).map(([parent, those]) => [parent, [...those]])),
    asked: [],
    onAsk: () => Effect.void,
    mostAtOnce: 0,
    followBelow: ({ key, values }, from) =>
      Effect.gen(function* () {
        assert.strictEqual(values["id"], key)
        model.mostAtOnce = Math.max(model.mostAtOnce, ++underWay)
        model.asked.push(from === undefined ? key : `${key} ${from}`)
        // Others come in between.
        yield* Effect.yieldNow
        yield* model.onAsk(key, from)
        return pageOf(model, key, Number(from ?? 0), firstMicros + ++asks * 1_000_000)
      }).pipe(Effect.ensuring(Effect.sync(() => underWay--)))
  }
  return model
}

const pageOf = ({ ids, isCounted }: ChildModel, parent: string, from: number, at: number): SerialPage => {
  const all = ids.get(parent) ?? []
  const records = all.slice(from, from + pageSize)
  const {
    page: _page,
    perPage: _perPage,
    ...page
  } = changesOf({
    records: records.map((id) => ({ id, name: `of ${parent}`, status: "awarded" })),
    observedMicros: at,
    receivedAt: Instant.fromMicros(at),
    sha256: String(at).padStart(64, "0"),
    page: 1,
    perPage: pageSize
  })
  const next = from + pageSize < all.length ? String(from + pageSize) : undefined
  return { ...page, total: from === 0 && isCounted ? all.length : 0, next }
}

/** So many parents, with so many records each. */
export const below = (count: number, of = 3): Record<string, ReadonlyArray<number>> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `p${String(n).padStart(4, "0")}`,
      Array.from({ length: of }, (_each, place) => 1 + n * 10 + place)
    ])
  )

/** All ids, in order. */
export const all = ({ ids }: ChildModel) => [...ids.values()].flat().toSorted((a, b) => a - b)
