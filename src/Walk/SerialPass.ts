/**
 * One pass over a list whose pages say where the next one is: one page after the other, within the pace. Pages are
 * written in batches while the next ones are fetched, rows before the checkpoint.
 *
 * Guarantees: an interrupted pass resumes at its last checkpoint. If the service no longer knows that place, the pass
 * ends as disturbed and the next one begins at the first page. A list that loops ends too.
 */
import { Cause, Effect, Queue } from "effect"
import * as Instant from "../Domain/Instant.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { Lane } from "./Pace.ts"
import * as Sightings from "./Sightings.ts"
import { type SerialList, type SerialPage, SourceError } from "./Source.ts"
import * as Verdict from "./Verdict.ts"

export interface Serial extends Verdict.Walking {
  readonly list: SerialList
  readonly lane: Lane
  readonly onProgress: (state: Checkpoints.PassState, pagesDone: number) => void
}

/** Pages that wait to be written. */
const pagesAhead = 64
/** Records written at once. */
const batchRecords = 10_000
/** After this many pages in a row with records none of which is new, the list is taken to loop. */
const mostSeen = 100

/** Runs a pass to its verdict. Resumes `previous` if that was interrupted. */
export const run = Effect.fn("SerialPass.run")(function* (pass: Serial, previous: Checkpoints.PassState | undefined) {
  const { list, store } = pass
  yield* Sightings.adopt(store, list.resource)
  const place = Checkpoints.isOpen(list, previous) ? yield* Verdict.placeOf(pass, previous) : undefined
  const initial = previous !== undefined && place !== undefined ? previous : yield* begin(pass, previous)
  const { disturbance, state } = yield* walk(pass, initial, place, yield* Checkpoints.countPages(store, list.resource))
  const counted = list.isCounted ? state : { ...state, total: state.rows }
  return yield* Verdict.finish(pass, counted, disturbance, {
    isCounted: list.isCounted,
    // A pass that was interrupted and began again has proven nothing.
    isPreviousWhole: state.disturbed_in_a_row === 0
  })
})

const begin = Effect.fnUntraced(function* ({ list, store }: Serial, previous: Checkpoints.PassState | undefined) {
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const state = Checkpoints.following(list, previous, Instant.fromMillis(now))
  const wasCutOff = previous !== undefined && previous.finished_at === null
  const begun = { ...state, disturbed_in_a_row: state.disturbed_in_a_row + (wasCutOff ? 1 : 0) }
  yield* Checkpoints.begin(store, begun)
  return begun
})

const walk = Effect.fnUntraced(function* (
  pass: Serial,
  initial: Checkpoints.PassState,
  place: string | undefined,
  pagesBefore: number
) {
  let state = initial
  let pages = pagesBefore
  let seen = 0
  const arrived = yield* Queue.bounded<SerialPage, Cause.Done>(pagesAhead)
  const fetchAll = Effect.gen(function* () {
    let from = place
    while (true) {
      yield* pass.room.enter
      const link = yield* Effect.mapError(pass.list.follow(from, pass.lane), (error) =>
        error.isAbsent === true && from !== undefined ? forgotten(error) : error
      )
      if (link.next !== undefined && link.next === from) return yield* circle(pass)
      yield* pass.room.came
      yield* Queue.offer(arrived, link)
      if (link.next === undefined) return
      from = link.next
    }
  }).pipe(Effect.result, Effect.ensuring(Queue.end(arrived)))
  // A function for each turn: a single one that waits for the next pages would retain those it wrote last.
  const writeSome = Effect.gen(function* () {
    const links = yield* Queue.takeBetween(arrived, 1, pagesAhead)
    for (const some of inBatches(links)) {
      const before = state.rows
      state = yield* keep(pass, state, some, pages)
      yield* pass.room.leave(some.length)
      pages += some.length
      seen = state.rows > before || some.every(({ records }) => records === 0) ? 0 : seen + some.length
      pass.onProgress(state, pages)
      if (seen > mostSeen) return yield* circle(pass)
    }
  })
  const writeAll = Effect.forever(writeSome).pipe(Effect.catchIf(Cause.isDone, () => Effect.void))
  // Pages that have arrived are saved, no matter what comes after them.
  const disturbance = yield* Effect.all([fetchAll, writeAll], { concurrency: 2 }).pipe(
    Effect.flatMap(([fetched]) => Effect.fromResult(fetched)),
    Effect.as(undefined),
    Effect.catchIf(isPassing, ({ message }) => Effect.succeed(message))
  )
  return { state, disturbance }
})

/** The service no longer knows the place. */
const forgotten = ({ message }: SourceError) => new SourceError({ reason: "OtherPage", message })

const circle = ({ list }: Serial) =>
  new SourceError({ reason: "OtherPage", message: `The list of ${list.resource} leads in a circle.` })

/** The next pass may succeed. */
const isPassing = (error: { readonly _tag: string }): error is SourceError =>
  error instanceof SourceError && error.reason !== "Refused"

function* inBatches(links: ReadonlyArray<SerialPage>): Generator<ReadonlyArray<SerialPage>> {
  let [batch, records]: [Array<SerialPage>, number] = [[], 0]
  for (const link of links) {
    batch.push(link)
    records += link.records
    if (records < batchRecords) continue
    yield batch
    ;[batch, records] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

/** The ids first, then the rows, then the checkpoint. */
const keep = Effect.fnUntraced(function* (
  pass: Serial,
  state: Checkpoints.PassState,
  links: ReadonlyArray<SerialPage>,
  pagesBefore: number
) {
  const changes = links.flatMap((link) => link.changes)
  yield* pass.write(state.resource, changes)
  const [first, last] = [links[0], links.at(-1)]
  const next: Checkpoints.PassState = {
    ...state,
    // By the service's clock, as in the pages.
    started_at: pagesBefore > 0 || first === undefined ? state.started_at : Instant.fromMicros(first.observedMicros),
    total: links.reduce((sum, { total }) => sum + total, state.total),
    pages_total: pagesBefore + links.length,
    next_from: Verdict.sealed(pass, last?.next)
  }
  const seen = links.map(({ bad, changes: those }, place) => ({
    page: pagesBefore + place + 1,
    ids: those.map(({ id }) => id),
    bad
  }))
  const fresh = yield* Checkpoints.save(pass.store, next, seen, first?.receivedAt ?? state.started_at)
  return { ...next, rows: next.rows + fresh }
})
