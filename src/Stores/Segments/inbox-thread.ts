/**
 * The inbox's thread: the only writer of the folder. It does one thing at a time, for the main thread and for the guest
 * in this thread, and does deferred work in between.
 *
 * While the disk flushes a group, the guest continues to receive. If anything but a request fails, the thread ends
 * together with the guest; the main thread notices both.
 */
import { parentPort, workerData } from "node:worker_threads"
import { collect, restingAfter } from "../../Runtime/Rest.ts"
import type { RunGuest } from "../Deliveries.ts"
import { type Answer, arrived, type Request, type ThreadStart, unpacked } from "./Protocol.ts"
import type { Arrived } from "./Group.ts"
import { type Received, Writer } from "./Writer.ts"

const port = parentPort
if (port === null) throw new Error("the inbox's thread was started as a program")

const { folder, key, last, ...options } = workerData as ThreadStart
const writer = new Writer(folder, key, options)

const worked = restingAfter(60_000, () => {
  writer.rest()
  collect()
})

let isFlushing = false
/** Callbacks that wait until a group is on disk. */
let waiting: Array<() => void> = []

const inTurn = (act: () => void): void => {
  if (isFlushing) waiting.push(act)
  else act()
}

const say = (): void => void Atomics.store(last, 0, BigInt(writer.last))

const receive = (batch: ReadonlyArray<Arrived>): Promise<Received> =>
  new Promise((resolve) => inTurn(() => resolve(received(batch))))

const received = async (batch: ReadonlyArray<Arrived>): Promise<Received> => {
  isFlushing = true
  try {
    return await writer.receiving(batch)
  } finally {
    say()
    isFlushing = false
    const now = waiting
    waiting = []
    for (const act of now) inTurn(act)
    tidyLater()
  }
}

let isTidying = false
const tidy = (): void => {
  try {
    isTidying = writer.step()
  } catch {
    // No disk space at the moment: the next request tries again.
    isTidying = false
  }
  if (isTidying) setImmediate(tidy)
  else worked()
}

const tidyLater = (): void => {
  worked()
  if (isTidying) return
  isTidying = true
  setImmediate(tidy)
}

type Answered = Omit<Answer, "id">

const done = (request: Request): Answered | Promise<Answered> => {
  switch (request.kind) {
    case "receive":
      return receive(unpacked(request))
    case "put":
      writer.put(request.frames)
      return {}
    case "fill":
      writer.fill(request.frames)
      return {}
    case "check":
      return { found: writer.check(request.number) }
    case "leave":
      writer.leave(request)
      return {}
    case "host":
      return host(request)
    case "close":
      writer.close()
      return {}
  }
}

const host = async ({ data, module, port: guests }: Extract<Request, { readonly kind: "host" }>): Promise<Answered> => {
  const { guest } = (await import(module)) as { readonly guest: RunGuest }
  void guest(guests, data, (batch) => receive(batch.map(arrived)))
  return {}
}

const answer = async (request: Request): Promise<void> => {
  try {
    const { fresh, found } = await done(request)
    say()
    port.postMessage({ id: request.id, fresh, found } as Answer)
  } catch (cause) {
    say()
    const { code, message } = cause as NodeJS.ErrnoException
    port.postMessage({ id: request.id, error: { code, message } } satisfies Answer)
  }
  if (request.kind === "close") port.close()
  else tidyLater()
}

port.on("message", (request: Request) => {
  // `receive` waits for its turn itself, and a guest has its own.
  if (request.kind === "receive" || request.kind === "host") void answer(request)
  else inTurn(() => void answer(request))
})

say()
worked()
port.postMessage({ id: 0, found: writer.found } satisfies Answer)
