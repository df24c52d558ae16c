/**
 * Reads what changed in a list since it was last read, page after page, with the filter that the list offers. Between
 * passes over the whole list this keeps the copy fresh. It proves nothing, and treats no record as deleted.
 *
 * Guarantees: what changes while it runs is read by the next one, which asks from the time when this one began (the
 * list adds a margin, for clocks that differ and for what its filter can't express). Records may slip from page to page
 * unseen. So if this one had several pages, the next one asks from the time when the one before this began, and each
 * change is read twice. If this one noticed that pages moved, or the process dies in between, the next one asks from
 * the same time as this one.
 */
import { Effect } from "effect"
import * as Instant from "../Domain/Instant.ts"
import * as Checkpoints from "./Checkpoints.ts"
import { Circle } from "./Circle.ts"
import type { Lane } from "./Pace.ts"
import * as Sightings from "./Sightings.ts"
import { isSerial, type PagedList, type SerialList, type SerialPage, type SourceError } from "./Source.ts"
import type { Walking } from "./Verdict.ts"

export interface Changed extends Walking {
  readonly list: PagedList | SerialList
  readonly lane: Lane
  /** A page was read. */
  readonly onPage: () => void
}

export interface Outcome {
  readonly state: Checkpoints.PassState
  readonly rows: number
  readonly pages: number
}

/** `state`: the state of the last finished pass over the whole list. */
export const run = Effect.fn("ChangedPass.run")(function* (pass: Changed, state: Checkpoints.PassState) {
  const { room, store, write } = pass
  yield* Sightings.adopt(store, state.resource)
  const since = state.changed_from ?? state.started_at
  const read = new Read()
  for (let from: string | undefined; ;) {
    yield* room.enter
    const page = yield* pageOf(pass, state, from, since)
    yield* write(state.resource, page.changes)
    const ids = page.changes.map(({ id }) => id)
    yield* Checkpoints.saveChanged(store, state, { ids, bad: page.bad }, page.receivedAt)
    yield* room.leave(1)
    pass.onPage()
    if (read.isOver(page)) break
    from = page.next
  }
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const began = Instant.fromMicros(read.beganMicros)
  const next: Checkpoints.PassState = {
    ...state,
    changed_at: Instant.fromMillis(now),
    changed_began: began,
    changed_from: read.hasMoved ? since : read.pages === 1 ? began : (state.changed_began ?? since)
  }
  yield* Checkpoints.saveState(store, next)
  return { state: next, rows: read.rows, pages: read.pages } satisfies Outcome
})

/** Numbered pages are followed one after the other too: usually there is only one. */
const pageOf = (
  { lane, list }: Changed,
  { per_page }: Checkpoints.PassState,
  from: string | undefined,
  since: Instant.Instant
): Effect.Effect<SerialPage, SourceError> => {
  if (isSerial(list)) return list.follow(from, lane, since)
  const number = Number(from ?? 1)
  return Effect.map(list.fetch(number, per_page, lane, since), (page): SerialPage => {
    const isLast = page.records === 0 || number * page.perPage >= page.total
    return { ...page, total: page.total, next: isLast ? undefined : String(number + 1) }
  })
}

/** What was read so far. */
class Read {
  readonly #circle = new Circle()
  #last: ReadonlySet<string> = new Set()
  #total: number | undefined
  #isDisturbed = false
  rows = 0
  pages = 0
  beganMicros = 0

  /** Whether records may have slipped from one page to another unseen. */
  get hasMoved(): boolean {
    return this.#isDisturbed || (this.#total !== undefined && this.rows !== this.#total)
  }

  /** True after the last page. */
  isOver(page: SerialPage): boolean {
    const ids = new Set(page.changes.map(({ id }) => id))
    const isRound = this.#circle.leadsTo(page)
    if (this.pages++ === 0) this.beganMicros = page.observedMicros
    // 0 also stands for a list that isn't counted.
    if (page.total > 0) {
      if (this.#total !== undefined && this.#total !== page.total) this.#isDisturbed = true
      this.#total = page.total
    }
    if (isRound || [...ids].some((id) => this.#last.has(id))) this.#isDisturbed = true
    this.#last = ids
    this.rows += page.records
    return isRound || page.next === undefined
  }
}
