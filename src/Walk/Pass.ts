/**
 * One pass over one paged list. Page 1 gives the total and the granted page size; the other pages follow concurrently
 * within the pace. Each page's rows are written before its checkpoint.
 *
 * Guarantees: an interrupted pass resumes at its checkpoints. `total` and page size are watched on every page, and a
 * pass in which they change is disturbed. A pass ends at the service's total, never at a short page. The ids seen are
 * in the Store and pages are planned in portions, so memory grows neither with the list nor with its claimed total.
 */
import { Cause, Effect, Queue } from "effect"
import * as Instant from "../Domain/Instant.ts"
import type { Lane } from "./Pace.ts"
import * as Sightings from "./Sightings.ts"
import { type Page, type PagedList, SourceError } from "./Source.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Verdict from "./Verdict.ts"
import * as Window from "./Window.ts"
import type { FinishedPages } from "./FinishedPages.ts"

export interface Pass extends Verdict.Walking {
  readonly list: PagedList
  readonly lane: Lane
  /** The page size to ask for when the service has not granted one yet. */
  readonly pageSize: number
  /** At most this many pages in flight; the pace decides how many really are. */
  readonly concurrency: number
  readonly onProgress: (state: Checkpoints.PassState, pagesDone: number) => void
}

/** Records written at once: more would fill memory, fewer would pay for the warehouse's commit more often. */
const batchRecords = 10_000
/** Pages planned at once: a service may claim any number of them. */
const pagesAhead = 10_000

/** Runs a pass to its verdict. Resumes `previous` if that was interrupted. */
export const run = Effect.fn("Pass.run")(function* (pass: Pass, previous: Checkpoints.PassState | undefined) {
  yield* Sightings.adopt(pass.store, pass.list.resource)
  let state = Checkpoints.isOpen(pass.list, previous) ? previous : yield* begin(pass, previous)
  const done = yield* Checkpoints.finishedPages(pass.store, state.resource)
  pass.onProgress(state, done.size)
  let disturbance: string | undefined
  while (disturbance === undefined && done.size < state.pages_total) {
    const missing = done.missing(state.pages_total, pagesAhead)
    const outcome = yield* walkPages(pass, state, missing, done)
    state = outcome.state
    disturbance = outcome.disturbance
  }
  return yield* Verdict.finish(pass, state, disturbance)
})

const begin = Effect.fnUntraced(function* (pass: Pass, previous: Checkpoints.PassState | undefined) {
  const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  // A hundred lists may begin at once.
  yield* pass.room.enter
  const first = yield* negotiate(pass, wantedSize(pass, previous))
  yield* pass.room.came
  if (first.page !== 1) return yield* wrongPage(1, first.page)
  const size = grantedSize(first)
  const state: Checkpoints.PassState = {
    ...Checkpoints.following(pass.list, previous, Instant.fromMicros(first.observedMicros)),
    begun_at: Instant.fromMillis(nowMs),
    per_page: size,
    pages_total: Math.max(1, Math.ceil(first.total / size)),
    total: first.total
  }
  yield* Checkpoints.begin(pass.store, state)
  const kept = yield* keep(pass, state, [first])
  yield* pass.room.leave(1)
  return kept
})

/**
 * A service may have granted small pages only for a while. Where larger ones save requests, twice as many records are
 * asked for again. A service that refuses them costs one request in each pass.
 */
const wantedSize = ({ pageSize }: Pass, previous: Checkpoints.PassState | undefined): number => {
  if (previous === undefined || previous.per_page === 0) return pageSize
  return previous.pages_total > 1 ? Math.min(pageSize, previous.per_page * 2) : previous.per_page
}

/** Asks for a large page, and for smaller ones if the service refuses the size. Accepts what it grants. */
const negotiate = Effect.fnUntraced(function* (pass: Pass, wanted: number) {
  const smaller = [500, 200, 100, 50].filter((size) => size < wanted)
  for (const size of [wanted, ...smaller, undefined]) {
    const page = yield* pass.list.fetch(1, size, pass.lane).pipe(
      Effect.catchIf(
        (error) => error.reason === "PageSizeRefused" && size !== undefined,
        () => Effect.undefined
      )
    )
    if (page !== undefined) return page
  }
  return yield* Effect.die("the last size is not refused")
})

/** `per_page`, or the number of records that came if a full page holds fewer. */
const grantedSize = (first: Page): number => {
  const expected = Math.min(first.perPage, first.total)
  const { records } = first
  return records > 0 && records < expected ? records : Math.max(1, first.perPage)
}

/** Fetches pages concurrently and writes what has arrived since the last write. */
const walkPages = Effect.fnUntraced(function* (
  pass: Pass,
  initial: Checkpoints.PassState,
  pages: ReadonlyArray<number>,
  done: FinishedPages
) {
  let state = initial
  const batch = Math.max(1, Math.floor(batchRecords / initial.per_page))
  const most = pass.concurrency * 2
  // With room for the next batch, so that pages keep arriving while one is written.
  const arrived = yield* Queue.bounded<Page, Cause.Done>(Math.min(batch, most))
  const window = yield* Window.make(Math.min(Math.ceil(batch * 1.5), most), most)
  const fetchOne = (page: number) =>
    Effect.andThen(
      Effect.andThen(window.enter, pass.room.enter),
      pass.list.fetch(page, initial.per_page, pass.lane)
    ).pipe(
      Effect.filterOrFail(
        (answer) => answer.page === page,
        (answer) => wrongPage(page, answer.page)
      ),
      Effect.flatMap((answer) => Effect.andThen(pass.room.came, Queue.offer(arrived, answer)))
    )
  const fetchAll = Effect.forEach(pages, fetchOne, { concurrency: pass.concurrency, discard: true }).pipe(
    Effect.as(undefined),
    Effect.catchIf(
      (error) => error.reason !== "Refused",
      (error) => Effect.succeed(error.message)
    ),
    Effect.ensuring(Queue.end(arrived))
  )
  // A function for each turn: a single one that waits for the next pages would retain those it wrote last.
  const writeSome = Effect.gen(function* () {
    const answers = yield* Queue.takeBetween(arrived, 1, batch)
    state = yield* keep(pass, state, answers)
    yield* pass.room.leave(answers.length)
    yield* window.wrote(answers.length, yield* Queue.size(arrived))
    for (const { page } of answers) done.add(page)
    pass.onProgress(state, done.size)
  })
  const writeAll = Effect.forever(writeSome).pipe(Effect.catchIf(Cause.isDone, () => Effect.void))
  const [disturbance] = yield* Effect.all([fetchAll, writeAll], { concurrency: 2 })
  return { state, disturbance }
})

const wrongPage = (asked: number, answered: number) =>
  new SourceError({
    reason: "OtherPage",
    message:
      `The service answered page ${answered} when asked for page ${asked}. ` +
      `It may name the paging parameter differently: check SITELEDGER_PAGE_PARAM.`
  })

/** The ids first, then the rows, then the checkpoint. */
const keep = Effect.fnUntraced(function* (pass: Pass, state: Checkpoints.PassState, pages: ReadonlyArray<Page>) {
  const changes = pages.flatMap((page) => page.changes)
  yield* pass.write(state.resource, changes)
  const next = pages.reduce(observe, state)
  const seen = pages.map(({ bad, changes, page }) => ({ page, ids: changes.map(({ id }) => id), bad }))
  const fresh = yield* Checkpoints.save(pass.store, next, seen, pages[0]?.receivedAt ?? state.started_at)
  return { ...next, rows: next.rows + fresh }
})

/** What a page says about the whole list: any change disturbs the pass. */
const observe = (state: Checkpoints.PassState, page: Page): Checkpoints.PassState => {
  const isLast = page.page >= state.pages_total
  const isShort = !isLast && page.records < state.per_page
  const hasMoved = page.total !== state.total || isShort
  return {
    ...state,
    total: page.total,
    pages_total: Math.max(1, Math.ceil(page.total / state.per_page)),
    disturbed: hasMoved ? 1 : state.disturbed
  }
}
