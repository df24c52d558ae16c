/**
 * Verifies the books in threads of their own, with connections of their own: with a million entries it takes a minute or two, in
 * which payments would be posted later.
 */
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Context, Effect, Fiber, Layer, type Scope } from "effect"
import type { Kysely } from "kysely"
import * as Verify from "../../Ledger/Verify.ts"
import { type Head, others } from "../../Ledger/Verify/Chained.ts"
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
 * Beside the one that reads the bodies, one for each core: more would compile the same again, and have no core to run on. Where
 * they wait for a server, as many as a worker has connections for.
 */
const threadsAt = ({ readers }: ReadAt): number =>
  readers ?? Math.max(1, Math.min(mostThreads, availableParallelism() - 1))

/** Of IPCs: so many that whoever is through early has another one, and whoever isn't soon is. */
const mostRanges = 16

/** What is read before the facts. */
export interface Before {
  /** What facts say is numbered under it. */
  readonly key: Key
  /** Whatever is settled has left its facts, but for what is in quarantine. */
  readonly settled: number
  readonly quarantined: ReadonlySet<number>
}

export const before: Effect.Effect<Before, StoreError, Store> = Effect.gen(function* () {
  const store = yield* Store
  const settled = yield* store.deliveries.settledThrough
  return { key: newKey(), settled, quarantined: yield* store.run(quarantinedIn) }
})

/** An audit whose threads have begun. */
export interface Begun extends Before {
  /** Once all is through. `since`: what someone has kept of the books as they were. */
  readonly taken: (since: Head | undefined) => Effect.Effect<Taken, StoreError>
}

/** Until the scope closes. */
export const begin: Effect.Effect<Begun, StoreError, Store | Scope.Scope> = Effect.gen(function* () {
  const store = yield* Store
  const known = yield* before
  const taking = yield* Effect.forkScoped(take(store, known.key), { startImmediately: true })
  const taken = Effect.fnUntraced(function* (since: Head | undefined) {
    const { said, verified } = yield* Fiber.join(taking)
    if (since === undefined) return { said, verified }
    return { said, verified: { ...verified, others: yield* store.run((db) => others(db, since)) } }
  })
  return { ...known, taken }
})

/**
 * For a verb without a worker: the books are verified from when the Store is open, while the warehouse and the inbox are still
 * being opened.
 */
export class Ahead extends Context.Service<Ahead, Begun>()("siteledger/Operate/Ahead") {
  static readonly layer: Layer.Layer<Ahead, StoreError, Store> = Layer.effect(Ahead, begin)
}

/** What the books say, under the key. */
export const take = Effect.fnUntraced(function* (store: Store["Service"], key: Key) {
  const head = yield* Verify.begun(store)
  const total = yield* store.run(factsIn)
  const some = yield* store.run((db) => ranges(db, mostRanges))
  const parts: ReadonlyArray<Part> = [
    { what: "joined" },
    ...some.map((range): Part => ({ what: "ofIpcs", range, key }))
  ]
  const found = yield* track("ledger verify", { unit: "facts", total }, (reached) => shared(store, parts, reached))
  const ofIpcs = found.flatMap((each) => (each.what === "ofIpcs" ? [each.ofIpcs] : []))
  const books = Verify.together(ofIpcs.map(({ refolded }) => refolded))
  const between = found.find((each) => each.what === "joined")
  if (between === undefined) return yield* Effect.die("the parts of an audit are there once it is through")
  const [follow] = books.chain === undefined ? yield* shared(store, [{ what: "followed" }], () => undefined) : []
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

/** A thread that ended early would leave out a part of the books without a word. */
export const areAllThere = (
  parts: ReadonlyArray<Part>,
  found: ReadonlyArray<Found>
): Effect.Effect<ReadonlyArray<Found>, StoreError> =>
  parts.every((_, part) => found[part] !== undefined)
    ? Effect.succeed(found)
    : Effect.fail(new StoreError({ reason: "Failed", message }))

/** What was found in each part, in their order. */
const shared = (store: Store["Service"], parts: ReadonlyArray<Part>, reached: Reached) =>
  Effect.gen(function* () {
    const { readAt: at } = store
    const found: Array<Found> = []
    let done = 0
    const hear = (answer: Answer): void => {
      if ("more" in answer) reached((done += answer.more))
      else if ("found" in answer) found[answer.part] = answer.found
    }
    const next = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const one =
      at === undefined ? share(store satisfies Reader, { parts, next }, hear) : inThread({ at, parts, next }, hear)
    const count = at === undefined ? 1 : Math.min(threadsAt(at), parts.length)
    yield* Effect.all(
      Array.from({ length: count }, () => one),
      { concurrency: "unbounded", discard: true }
    )
    return yield* areAllThere(parts, found)
  })

const threadFile = fileOf(new URL("./taking-thread.ts", import.meta.url))

const inThread = (workerData: Task, hear: (answer: Answer) => void): Effect.Effect<void, StoreError> =>
  Effect.callback((resume) => {
    const thread = new Worker(threadFile, { name: "audit", workerData })
    thread.on("message", (answer: Answer) => {
      if ("failed" in answer) resume(Effect.fail(new StoreError(answer.failed)))
      else hear(answer)
    })
    const ended = (cause: unknown) => resume(Effect.fail(new StoreError({ reason: "Failed", message, cause })))
    thread.once("error", ended)
    thread.once("exit", (code) => (code === 0 ? resume(Effect.void) : ended(code)))
    return Effect.promise(() => thread.terminate())
  })

const message = "The thread that verifies the books has ended before it was through."
