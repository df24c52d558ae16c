/**
 * The lists of IPCs, VOs, NCRs, HSE incidents, permits and transmittals, of any size: a page is recomputed from the
 * blocks of events that it touches. Only one number per block is held, for transmittals: how many come before it.
 *
 * A list is in the order in which its entities began, and none is ever deleted. New ones come at the end, so a walk
 * sees each once even while events go on. A page shows the step at which it was requested. Records are rendered as JSON
 * text from the events' own JSON texts: an amount never passes through a float.
 */
import { Effect } from "effect"
import type { Events } from "./Events.ts"
import * as EntityState from "./EntityState.ts"
import type { Entity } from "./Lifecycles.ts"
import * as Versions from "./Versions.ts"

export interface RecordPage {
  readonly total: number
  /** The records as the inside of a JSON array. */
  readonly data: string
}

export interface Records {
  /** At most `size` records from index `from` on (0 is the first), after `step` steps. */
  readonly page: (
    version: Versions.Version,
    entity: Entity,
    step: number,
    from: number,
    size: number
  ) => Effect.Effect<RecordPage>
  /** One record as JSON text; undefined: no event has mentioned it. */
  readonly find: (version: Versions.Version, entity: Entity, step: number, id: string) => string | undefined
}

/** Blocks computed before the fiber yields. */
const blocksPerTurn = 16

const render = (version: Versions.Version, { contents, entity, status }: EntityState.EntityState): string => {
  const [id = ["id", "null"] as const, ...others] = contents
  return `{${Versions.members(version, entity, [id, ["status", `"${status}"`], ...others])}}`
}

/** How many entities of a kind the blocks before a given one hold. */
const makeCounts = (events: Events) => {
  const transmittals = [0]
  const countTo = Effect.fnUntraced(function* (block: number) {
    while (transmittals.length <= block) {
      const number = transmittals.length - 1
      transmittals.push((transmittals[number] ?? 0) + events.transmittalsIn(number))
      if (number % blocksPerTurn === 0) yield* Effect.yieldNow
    }
  })
  return {
    /** Must run before `before` is asked about these blocks. */
    countTo: (entity: Entity, block: number) => (entity === "transmittals" ? countTo(block) : Effect.void),
    before: (entity: Entity, block: number): number =>
      entity === "transmittals" ? (transmittals[block] ?? 0) : block * events.numbersPerBlock[entity]
  }
}

/**
 * The last block from 0 to `last` for which `holds` is true. It must be true for block 0, and false for every block
 * after the first false one.
 */
const lastWhere = (last: number, holds: (block: number) => boolean): number => {
  let [low, high] = [0, last]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}

export const make = (events: Events): Records => {
  const counts = makeCounts(events)

  const page = Effect.fnUntraced(function* (
    version: Versions.Version,
    entity: Entity,
    step: number,
    from: number,
    size: number
  ) {
    const current = Math.floor(step / events.blockLength)
    yield* counts.countTo(entity, current)
    const total = counts.before(entity, current) + EntityState.ofBlock(events, current, step, entity).length
    const first = lastWhere(current, (block) => counts.before(entity, block) <= from)
    const wanted = Math.max(0, Math.min(size, total - from))
    const records: Array<string> = []
    let skipped = from - counts.before(entity, first)
    for (let block = first; block <= current && records.length < wanted; block++) {
      const states = EntityState.ofBlock(events, block, step, entity)
      records.push(...states.slice(skipped, skipped + wanted - records.length).map((state) => render(version, state)))
      skipped = 0
      if ((block - first) % blocksPerTurn === 0) yield* Effect.yieldNow
    }
    return { total, data: records.join(",") }
  })

  return {
    page,
    find: (version, entity, step, id) => {
      const number = Number(/\d+$/.exec(id)?.[0] ?? 0)
      const block = Math.floor((number - 1) / events.numbersPerBlock[entity])
      if (block < 0 || block * events.blockLength >= step) return undefined
      const found = EntityState.ofBlock(events, block, step, entity).find((state) => state.id === id)
      return found === undefined ? undefined : render(version, found)
    }
  }
}
