/**
 * Verifies the books in a thread of its own, with a connection of its own: with a million entries it takes a minute or two, in
 * which payments would be posted later.
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { Head } from "../../Ledger/Verify/Chained.ts"
import { fileOf } from "../../Runtime/Module.ts"
import { Store, StoreError } from "../../Stores/Store.ts"
import { type Answer, type Taken, takeFrom, type Task } from "./Taken.ts"

/** `since`: what someone has kept of the books as they were. */
export const take = (since: Head | undefined): Effect.Effect<Taken, StoreError, Store> =>
  Effect.flatMap(Store, (store) =>
    store.readAt === undefined ? takeFrom(store, since) : inThread({ at: store.readAt, since })
  )

const threadFile = fileOf(new URL("./taking-thread.ts", import.meta.url))

const inThread = (workerData: Task): Effect.Effect<Taken, StoreError> =>
  Effect.callback((resume) => {
    const thread = new Worker(threadFile, { name: "audit", workerData })
    thread.once("message", (answer: Answer) =>
      resume("failed" in answer ? Effect.fail(new StoreError(answer.failed)) : Effect.succeed(answer.taken))
    )
    const ended = (cause: unknown) => resume(Effect.fail(new StoreError({ reason: "Failed", message, cause })))
    thread.once("error", ended)
    thread.once("exit", ended)
    return Effect.promise(() => thread.terminate())
  })

const message = "The thread that verifies the books has ended before it was through."
