/**
 * The state of every entity by the events so far: its furthest status, the fields of each event of its life (interface
 * document §6.3; later ones win), and when each stage last happened. Pure, and recomputed from the seed one block of
 * events at a time: no life spans two blocks, so nothing more is held.
 */
import type { Events } from "./Events.ts"
import type { Entity } from "./Lifecycles.ts"

export interface EntityState {
  readonly entity: Entity
  readonly id: string
  readonly status: string
  /** JSON texts by the names of the events' fields, the id first; `…_at` is when a stage last happened. */
  readonly contents: ReadonlyMap<string, string>
}

/** `paid_at`: made from the end of the event's type. */
const stageName = (type: string): string => `${type.slice(type.lastIndexOf(".") + 1)}_at`

/**
 * The entities of one block, in the order in which they began, which later steps never change. `steps`: how many events
 * have been emitted; `only`: one kind.
 */
export const ofBlock = (events: Events, number: number, steps: number, only?: Entity): ReadonlyArray<EntityState> => {
  const states = new Map<string, EntityState & { readonly contents: Map<string, string> }>()
  const first = number * events.blockLength
  for (const [offset, { contents, entity, id, status, type }] of events.block(number).entries()) {
    if (first + offset >= steps) break
    if (only !== undefined && entity !== only) continue
    const known = states.get(id)?.contents ?? new Map<string, string>()
    for (const [name, json] of contents) known.set(name, json)
    known.set(stageName(type), `"${events.timestamp(first + offset)}"`)
    states.set(id, { entity, id, status, contents: known })
  }
  return [...states.values()]
}
