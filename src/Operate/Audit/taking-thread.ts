/**
 * Verifies parts of the books of a Store that another thread writes, reports its progress, and answers. It waits for
 * tasks.
 */
import { parentPort } from "node:worker_threads"
import { Effect } from "effect"
import * as Reading from "../../Stores/Reading.ts"
import { type Answer, share, type Task } from "./Taken.ts"

const port = parentPort
if (port === null) throw new Error("the audit's thread was started as a program")

const tell = (answer: Answer) => port.postMessage(answer)

const sharing = (task: Task) =>
  Effect.scoped(Effect.flatMap(Reading.open(task.at), (store) => share(store, task, tell))).pipe(
    Effect.match({
      onSuccess: () => tell({ isThrough: true }),
      onFailure: ({ message, reason }) => tell({ failed: { message, reason } })
    })
  )

port.on("message", (task: Task) => void Effect.runPromise(sharing(task)))
