/**
 * Verifies the books in separate threads with separate connections: with a million entries it takes a minute or two,
 * during which the main thread would post payments late.
 */
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Effect, Fiber, type Scope } from "effect"
import type { Kysely } from "kysely"
import * as Verify from "../../Ledger/Verify.ts"
import { ranges } from "../../Ledger/WholeBooks.ts"
import { fileOf } from "../../Runtime/Module.ts"
import { type Reached, track } from "../../Runtime/Progress.ts"
import { type ReadAt, type Reader, Store, StoreError } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Said } from "./Claims.ts"
import { type Key, newKey } from "./KeyedHash.ts"
import { type Answer, type Found, type Part, share, type Taken, type Task } from "./Taken.ts"

const mostThreads = 4

/**
 * Besides the thread that reads the bodies, one for each core: more would compile the same code again and have no core
 * to run on. Where they wait for a server, as many as a worker has connections for.
 */
export const threadsAt = ({ readers }: Pick<ReadAt, "readers">): number =>
  readers ?? Math.max(1, Math.min(mostThreads, availableParallelism() - 1))

const threadFile = fileOf(new URL("./taking-thread.ts", import.meta.url))

/** A thread that waits for a task. */
export interface Thread {
  readonly worker: Worker
  /** Resolves with its exit code, or with the error. */
  readonly ended: Promise<unknown>
}

/** Starts this many; they run until the scope closes. */
export const started = (count: number): Effect.Effect<ReadonlyArray<Thread>, never, Scope.Scope> =>
  Effect.forEach(Array.from({ length: Math.max(0, count) }), () =>
    Effect.acquireRelease(Effect.sync(start), ({ worker }) => Effect.promise(() => worker.terminate()))
  )

const start = (): Thread => {
  const worker = new Worker(threadFile, { name: "audit" })
  return { worker, ended: new Promise((resolve) => worker.once("error", resolve).once("exit", resolve)) }
}

/** Ranges of IPCs: enough that a thread that finishes early gets another one, and that the others finish soon after. */
const mostRanges = 16

/** What is read before the facts. */
export interface Before {
  /** What facts say is numbered under this key. */
  readonly key: Key
  /** Everything that is settled has left its facts, except what is in quarantine. */
  readonly settled: number
  readonly quarantined: ReadonlySet<number>
}

export const before: Effect.Effect<Before, StoreError, Store> = Effect.gen(function* () {
  const store = yield* Store
  const settled = yield* store.deliveries.settledThrough
  return { key: newKey(), settled, quarantined: yield* store.run(quarantinedIn) }
})

/** An audit whose threads have started. */
export interface Begun extends Before {
  /** Resolves once everything is finished. */
  readonly taken: Effect.Effect<Taken, StoreError>
}

/** Runs until the scope closes. `threads`: those that wait for tasks. */
export const beginWith = Effect.fnUntraced(function* (threads: ReadonlyArray<Thread>) {
  const store = yield* Store
  const known = yield* before
  const taking = yield* Effect.forkScoped(take(store, threads, known.key), { startImmediately: true })
  return { ...known, taken: Fiber.join(taking) } satisfies Begun
})

export const begin: Effect.Effect<Begun, StoreError, Store | Scope.Scope> = Effect.gen(function* () {
  const { readAt } = yield* Store
  return yield* beginWith(readAt === undefined ? [] : yield* started(threadsAt(readAt)))
})

/** What the books say, numbered under the key. */
export const take = Effect.fnUntraced(function* (store: Store["Service"], threads: ReadonlyArray<Thread>, key: Key) {
  const head = yield* Verify.begun(store)
  const total = yield* store.run(factsIn)
  const some = yield* store.run((db) => ranges(db, mostRanges))
  const parts: ReadonlyArray<Part> = [
    { what: "joined" },
    ...some.map((range): Part => ({ what: "ofIpcs", range, key }))
  ]
  const found = yield* track("ledger verify", { unit: "facts", total }, (reached) =>
    shared(store, threads, parts, reached)
  )
  const ofIpcs = found.flatMap((each) => (each.what === "ofIpcs" ? [each.ofIpcs] : []))
  const books = Verify.together(ofIpcs.map(({ refolded }) => refolded))
  const between = found.find((each) => each.what === "joined")
  if (between === undefined) return yield* Effect.die("the parts of an audit are there once it is through")
  const [follow] =
    books.chain === undefined ? yield* shared(store, threads, [{ what: "followed" }], () => undefined) : []
  const verified = Verify.whole(head, books, between.joined, follow?.what === "followed" ? follow.followed : [])
  return { verified, said: joinedSaid(ofIpcs.map(({ said }) => said)) } satisfies Taken
})

const quarantinedIn = async (db: Kysely<StoreTables>): Promise<ReadonlySet<number>> => {
  const rows = await db.selectFrom("quarantine").select("sequence").execute()
  return new Set(rows.map(({ sequence }) => sequence))
}

const factsIn = async (db: Kysely<StoreTables>): Promise<number> => {
  const row = await db
    .selectFrom("ledger_facts")
    .select((of) => of.fn.max("number").as("last"))
    .executeTakeFirst()
  return Number(row?.last ?? 0)
}

const joinedSaid = (all: ReadonlyArray<Said>): Said => {
  const one = (name: keyof Said): Float64Array => {
    const joined = new Float64Array(all.reduce((length, said) => length + said[name].length, 0))
    let at = 0
    for (const said of all) {
      joined.set(said[name], at)
      at += said[name].length
    }
    return joined
  }
  return { claims: one("claims"), numbers: one("numbers"), money: one("money") }
}

/** If a thread ended early, a part of the books would be left out silently. */
export const areAllThere = (
  parts: ReadonlyArray<Part>,
  found: ReadonlyArray<Found>
): Effect.Effect<ReadonlyArray<Found>, StoreError> =>
  parts.every((_, part) => found[part] !== undefined)
    ? Effect.succeed(found)
    : Effect.fail(new StoreError({ reason: "Failed", message }))

/** What was found in each part, in order; without threads, computed here. */
const shared = (
  store: Store["Service"],
  threads: ReadonlyArray<Thread>,
  parts: ReadonlyArray<Part>,
  reached: Reached
): Effect.Effect<ReadonlyArray<Found>, StoreError> =>
  Effect.gen(function* () {
    const { readAt: at } = store
    const found: Array<Found> = []
    let done = 0
    const hear = (answer: Answer): void => {
      if ("more" in answer) reached((done += answer.more))
      else if ("found" in answer) found[answer.part] = answer.found
    }
    const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const asked = at === undefined ? [] : threads.slice(0, parts.length).map((thread) => ({ thread, at }))
    const all = asked.map((each) => inThread(each.thread, { at: each.at, parts, next }, hear))
    const here = share(store satisfies Reader, { parts, next }, hear)
    yield* Effect.all(all.length === 0 ? [here] : all, { concurrency: "unbounded", discard: true })
    return yield* areAllThere(parts, found)
  })

/** Runs until the thread is finished. */
const inThread = (
  { ended, worker }: Thread,
  task: Task,
  hear: (answer: Answer) => void
): Effect.Effect<void, StoreError> =>
  Effect.callback((resume) => {
    const answered = (answer: Answer): void => {
      if ("failed" in answer) end(Effect.fail(new StoreError(answer.failed)))
      else if ("isThrough" in answer) end(Effect.void)
      else hear(answer)
    }
    const stopHearing = () => worker.off("message", answered)
    const end = (result: Effect.Effect<void, StoreError>): void => {
      stopHearing()
      resume(result)
    }
    worker.on("message", answered)
    worker.postMessage(task, [])
    void ended.then((cause) => end(Effect.fail(new StoreError({ reason: "Failed", message, cause }))))
    return Effect.sync(stopHearing)
  })

const message = "The thread that verifies the books has ended before it was through."
