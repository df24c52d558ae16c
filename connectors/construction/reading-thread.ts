/**
 * Reads large bodies for the worker's main thread, one after the other. There may be hundreds of thousands of fields
 * without a column; they are sent in parts, each on request.
 */
import { parentPort, workerData } from "node:worker_threads"
import { type Answer, partsOf, type Request } from "./ConstructionApart/Protocol.ts"
import { read, type ReaderOptions } from "./ConstructionReader.ts"

const port = parentPort
if (port === null) throw new Error("the reading thread was started as a program")

let rest: Iterator<Answer> | undefined

port.on("message", (request: Request) => {
  if (request !== "more") rest = partsOf(read(workerData as ReaderOptions, request.event, request.nowMicros))
  const next = rest?.next()
  if (next?.done === false) port.postMessage(next.value)
  else rest = undefined
})
