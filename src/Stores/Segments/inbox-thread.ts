/**
 * The inbox's thread: does what the worker's main thread asks, one request after the other, and uses the time between them
 * for what can be done later.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { Answer, Request, Start } from "./Protocol.ts"
import { unpacked } from "./Protocol.ts"
import { Writer } from "./Writer.ts"

const port = parentPort
if (port === null) throw new Error("the inbox's thread was started as a program")

const { folder, key, ...options } = workerData as Start
const writer = new Writer(folder, key, options)

const answerTo = (request: Request): Omit<Answer, "id"> => {
  switch (request.kind) {
    case "receive":
      return { ...writer.receive(unpacked(request)) }
    case "put":
      writer.put(request.frames)
      return { last: writer.last }
    case "fill":
      writer.fill(request.frames)
      return { last: writer.last }
    case "check":
      return { found: writer.check(request.number), last: writer.last }
    case "close":
      writer.close()
      return { last: writer.last }
  }
}

let isTidying = false
const tidy = (): void => {
  try {
    isTidying = writer.step()
  } catch {
    // No room for now: the next request tries again.
    isTidying = false
  }
  if (isTidying) setImmediate(tidy)
}

port.on("message", (request: Request) => {
  try {
    port.postMessage({ id: request.id, ...answerTo(request) } satisfies Answer)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    port.postMessage({ id: request.id, error: { code, message } } satisfies Answer)
  }
  if (request.kind === "close") return port.close()
  if (!isTidying) tidy()
})

port.postMessage({ id: 0, last: writer.last, found: writer.found } satisfies Answer)
