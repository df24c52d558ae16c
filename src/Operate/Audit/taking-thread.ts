/**
 * Verifies a part of the books of a Store that another thread writes, says how far it is, and answers.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Effect } from "effect"
import * as Reading from "../../Stores/Reading.ts"
import { type Answer, taken, type Task } from "./Taken.ts"

const port = parentPort
if (port === null) throw new Error("the audit's thread was started as a program")

const task = workerData as Task

const reached = (facts: number) => port.postMessage({ reached: facts } satisfies Answer)

const taking = Effect.scoped(Effect.flatMap(Reading.open(task.at), (store) => taken(store, task, reached)))

const answer = await Effect.runPromise(
  Effect.match(taking, {
    onSuccess: (done): Answer => ({ done }),
    onFailure: ({ message, reason }): Answer => ({ failed: { message, reason } })
  })
)
port.postMessage(answer)
