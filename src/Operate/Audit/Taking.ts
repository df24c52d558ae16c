/**
 * Verifies the books in threads of their own, with connections of their own: with a million entries it takes a minute or two, in
 * which payments would be posted later.
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { Kysely } from "kysely"
import { whole } from "../../Ledger/Verify.ts"
import type { Head } from "../../Ledger/Verify/Chained.ts"
import { fileOf } from "../../Runtime/Module.ts"
import { type Reached, track } from "../../Runtime/Progress.ts"
import { Store, StoreError } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { type Answer, type Parts, type Taken, taken, type Task } from "./Taken.ts"

/** `since`: what someone has kept of the books as they were. */
export const take = Effect.fnUntraced(function* (since: Head | undefined) {
  const store = yield* Store
  const { readAt: at } = store
  const part = <Name extends keyof Parts>(name: Name, reached: Reached) =>
    (at === undefined
      ? taken(store, { part: name, since }, reached)
      : inThread({ at, part: name, since }, reached)) as Effect.Effect<Parts[Name], StoreError>
  const total = yield* store.run(factsIn)
  const { joined, ofIpcs } = yield* track("ledger verify", { unit: "facts", total }, (reached) =>
    Effect.all({ ofIpcs: part("ofIpcs", reached), joined: part("joined", reached) }, { concurrency: "unbounded" })
  )
  return { verified: whole(ofIpcs.refolded, joined), said: ofIpcs.said } satisfies Taken
})

const factsIn = async (db: Kysely<StoreTables>): Promise<number> => {
  const row = await db
    .selectFrom("ledger_facts")
    .select((of) => of.fn.max("number").as("last"))
    .executeTakeFirst()
  return Number(row?.last ?? 0)
}

const threadFile = fileOf(new URL("./taking-thread.ts", import.meta.url))

const inThread = (workerData: Task, reached: Reached): Effect.Effect<Parts[keyof Parts], StoreError> =>
  Effect.callback((resume) => {
    const thread = new Worker(threadFile, { name: "audit", workerData })
    thread.on("message", (answer: Answer) => {
      if ("reached" in answer) return reached(answer.reached)
      resume("failed" in answer ? Effect.fail(new StoreError(answer.failed)) : Effect.succeed(answer.done))
    })
    const ended = (cause: unknown) => resume(Effect.fail(new StoreError({ reason: "Failed", message, cause })))
    thread.once("error", ended)
    thread.once("exit", ended)
    return Effect.promise(() => thread.terminate())
  })

const message = "The thread that verifies the books has ended before it was through."
