/**
 * One pass over a child list: the lists below all rows of a parent's table, several at once within the pace, each page
 * after page. Pages are written in batches while the next ones are fetched, rows before the checkpoint.
 *
 * Guarantees: an interrupted pass first resumes the parents that were in flight, each where it was, and then reads
 * those that it hadn't begun. None is skipped, and no finished parent is read again. Memory doesn't grow with the
 * number of parents. A failure of one parent is reported and doesn't stop the others.
 */
import { Cause, Effect, Queue } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { Bookmarks, type Begun } from "./Bookmarks.ts"
import * as Checkpoints from "./Checkpoints.ts"
import { Circle } from "./Circle.ts"
import { waitingBelow } from "./NextParents.ts"
import type { Lane } from "./Pace.ts"
import type { Finished } from "./ParentProofs.ts"
import * as Sightings from "./Sightings.ts"
import type { ChildList, SerialPage, SourceError } from "./Source.ts"
import * as Verdict from "./Verdict.ts"

export interface Child extends Verdict.Walking {
  readonly list: ChildList
  readonly lane: Lane
  readonly onProgress: (state: Checkpoints.PassState, pagesDone: number) => void
}

/** Parents that are read at once; the pace decides how many requests are really in flight. */
const parentsAtOnce = 32
/** Pages that wait to be written. */
const pagesAhead = 64
/**
 * After this many parents in a row are refused, or answered with something else such as a proxy's page, the others are
 * expected to fail too.
 */
const mostRefused = 20

/** What is to be saved: a page, the end of a parent, or both. */
interface Arrived {
  readonly parent: Begun
  readonly page?: SerialPage
  readonly outcome?: Finished["outcome"]
}

/** Runs a pass to its verdict. Resumes `previous` if that was interrupted. */
export const run = Effect.fn("ChildPass.run")(function* (pass: Child, previous: Checkpoints.PassState | undefined) {
  const { list, store } = pass
  yield* Sightings.adopt(store, list.resource)
  const place = Checkpoints.isOpen(list, previous) ? yield* Verdict.placeOf(pass, previous) : undefined
  const resumed = place === undefined ? undefined : Bookmarks.read(place)
  const bookmarks = resumed ?? Bookmarks.first(previous?.finished_at == null ? undefined : previous.started_at)
  const initial = previous !== undefined && resumed !== undefined ? previous : yield* begin(pass, previous, bookmarks)
  const pages = yield* Checkpoints.countPages(store, list.resource)
  const arrived = yield* Queue.bounded<Arrived, Cause.Done>(pagesAhead)
  const readers = new Readers(pass, { state: initial, pages, bookmarks, arrived })
  yield* readers.toItsEnd
  return yield* Verdict.finishBelow(pass, readers.state, list.isCounted, readers.why)
})

const begin = Effect.fnUntraced(function* (
  pass: Child,
  previous: Checkpoints.PassState | undefined,
  bookmarks: Bookmarks
) {
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const begun = Checkpoints.following(pass.list, previous, Instant.fromMillis(now))
  const state = { ...begun, next_from: Verdict.sealed(pass, bookmarks.text) }
  yield* Checkpoints.begin(pass.store, state)
  return state
})

interface From {
  readonly state: Checkpoints.PassState
  readonly pages: number
  readonly bookmarks: Bookmarks
  readonly arrived: Queue.Queue<Arrived, Cause.Done>
}

class Readers {
  readonly #pass: Child
  readonly #bookmarks: Bookmarks
  readonly #arrived: Queue.Queue<Arrived, Cause.Done>
  #pages: number
  /** Refusals aren't saved until another parent is answered. */
  #refused: Array<{ readonly parent: Begun; readonly error: SourceError }> = []
  #isAnswered: boolean
  state: Checkpoints.PassState
  /** What the service said about the last parent whose list can't be read. */
  why: string | undefined

  constructor(pass: Child, { arrived, bookmarks, pages, state }: From) {
    this.#pass = pass
    this.#bookmarks = bookmarks
    this.#arrived = arrived
    this.#pages = pages
    this.#isAnswered = pages > 0
    this.state = state
  }

  get toItsEnd() {
    const next = waitingBelow(this.#pass, this.state, this.#bookmarks)
    const reader = Effect.gen({ self: this }, function* () {
      for (let begun = yield* next; begun !== undefined; begun = yield* next) yield* this.#readBelow(begun)
    })
    const all = Effect.all(
      Array.from({ length: parentsAtOnce }, () => reader),
      { concurrency: "unbounded", discard: true }
    )
    // Pages that have arrived are saved, no matter what comes after them.
    const readAll = Effect.andThen(
      all,
      Effect.suspend(() => this.#settle())
    ).pipe(Effect.result, Effect.ensuring(Queue.end(this.#arrived)))
    return Effect.all([readAll, this.#writeAll()], { concurrency: 2 }).pipe(
      Effect.flatMap(([read]) => Effect.fromResult(read))
    )
  }

  /** Reads one parent's list to its end. */
  #readBelow(begun: Begun) {
    return Effect.gen({ self: this }, function* () {
      const { lane, list, room } = this.#pass
      const circle = new Circle()
      let [from, isResumed] = [begun.from, begun.from !== undefined]
      while (true) {
        yield* room.enter
        const answer = yield* Effect.result(list.followBelow(begun, from, lane))
        if (answer._tag === "Failure") {
          yield* room.leave(1)
          if (!isResumed || !isPlaceLost(answer.failure)) return yield* this.#endOf(begun, answer.failure)
          ;[from, isResumed] = [undefined, false]
          continue
        }
        yield* room.came
        const page = answer.success
        const isRound = circle.leadsTo(page)
        const isOver = page.next === undefined || isRound
        if (isRound) this.why = `Below ${begun.key} it leads in a circle.`
        yield* Queue.offer(this.#arrived, {
          parent: begun,
          page,
          ...(isOver ? { outcome: isRound ? ("failed" as const) : ("read" as const) } : {})
        })
        yield* this.#answered()
        if (isOver) return
        ;[from, isResumed] = [page.next, false]
      }
    })
  }

  #endOf(parent: Begun, error: SourceError): Effect.Effect<unknown, SourceError> {
    if (error.isAbsent === true) {
      return Effect.andThen(Queue.offer(this.#arrived, { parent, outcome: "absent" }), this.#answered())
    }
    this.#refused.push({ parent, error })
    if (this.#refused.length < mostRefused) return Effect.void
    return Effect.andThen(this.#isAnswered ? this.#answered() : Effect.void, Effect.fail(error))
  }

  /** An answer proves that the service doesn't refuse everything, so the earlier refusals are saved. */
  #answered() {
    this.#isAnswered = true
    const refused = this.#refused
    this.#refused = []
    return Effect.forEach(
      refused,
      ({ error, parent }) => {
        this.why = error.message
        return Queue.offer(this.#arrived, { parent, outcome: "failed" as const })
      },
      { discard: true }
    )
  }

  /** Saves or reports the remaining refusals at the end. */
  #settle(): Effect.Effect<void, SourceError> {
    const [first] = this.#refused
    return first === undefined || this.#isAnswered ? this.#answered() : Effect.fail(first.error)
  }

  /** A function for each turn: a single one that waits for the next pages would retain those it wrote last. */
  #writeAll() {
    const writeSome = Effect.gen({ self: this }, function* () {
      const arrived = yield* Queue.takeBetween(this.#arrived, 1, pagesAhead)
      yield* this.#keep(arrived)
      yield* this.#pass.room.leave(arrived.filter(({ page }) => page !== undefined).length)
      this.#pass.onProgress(this.state, this.#pages)
    })
    return Effect.forever(writeSome).pipe(Effect.catchIf(Cause.isDone, () => Effect.void))
  }

  /** The ids first, then the rows, then the checkpoint. */
  #keep(arrived: ReadonlyArray<Arrived>) {
    return Effect.gen({ self: this }, function* () {
      const { store, write } = this.#pass
      const pages = arrived.flatMap(({ page, parent }) => (page === undefined ? [] : [{ ...page, parent: parent.key }]))
      const changes = pages.flatMap((page) => page.changes)
      yield* write(this.state.resource, changes)
      const finished = arrived.flatMap((each) => this.#advance(each))
      const first = pages[0]
      const next: Checkpoints.PassState = {
        ...this.state,
        // By the service's clock, as in the pages.
        started_at:
          this.#pages > 0 || first === undefined ? this.state.started_at : Instant.fromMicros(first.observedMicros),
        pages_total: this.#pages + pages.length,
        next_from: Verdict.sealed(this.#pass, this.#bookmarks.text)
      }
      const seen = pages.map(({ bad, changes: those, parent }, place) => ({
        page: this.#pages + place + 1,
        ids: those.map(({ id }) => id),
        bad,
        parent
      }))
      const fresh = yield* Checkpoints.save(store, next, seen, first?.receivedAt ?? next.started_at, finished)
      this.#bookmarks.saved()
      this.state = { ...next, rows: next.rows + fresh }
      this.#pages += pages.length
    })
  }

  /** Moves the bookmark; returns the parent if it is finished. */
  #advance({ outcome, page, parent: { key } }: Arrived): ReadonlyArray<Finished> {
    const total = page !== undefined && page.total > 0 ? page.total : undefined
    if (outcome === undefined) {
      if (page?.next !== undefined) this.#bookmarks.advance(key, page.next, total)
      return []
    }
    const before = this.#bookmarks.finish(key)
    return [{ parent: key, outcome, total: total ?? before }]
  }
}

/** Whether a saved cursor is no longer valid. */
const isPlaceLost = ({ isAbsent, reason }: SourceError): boolean => isAbsent === true || reason !== "Refused"
