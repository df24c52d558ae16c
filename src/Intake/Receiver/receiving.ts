/**
 * The receiver in its thread: HTTP, signatures, groups of deliveries, answers. Without Effect, so that the thread stays
 * small. In the embedded engine it is a guest in the inbox's thread, which both stores and answers a delivery.
 *
 * An exception outside a request ends the thread; the main thread starts another one.
 */
import type { MessagePort } from "node:worker_threads"
import * as Instant from "../../Domain/Instant.ts"
import type { Labelled, RunGuest } from "../../Stores/Deliveries.ts"
import { Bodies } from "./Bodies.ts"
import { Connections } from "./Connections.ts"
import { Groups } from "./Groups.ts"
import { hexOf, Knowing } from "./Knowing.ts"
import { close, listen } from "./Listener.ts"
import type { Said, Start, Told } from "./Messages.ts"
import { Reporting } from "./Reporting.ts"
import { type Answerer, handle } from "./Requests.ts"
import { Senders } from "./Senders.ts"
import type { Signing } from "./Signing.ts"
import { type Without, without } from "./Without.ts"

export const guest: RunGuest = async (port, data, receive) => {
  const start = data as Start
  const { signing } = (await import(start.signing)) as { readonly signing: Signing }
  const say = (said: Said): void => port.postMessage(said)
  const reporting = new Reporting((report) => say({ kind: "report", report }))
  const knowing = new Knowing(start.known, Date.now)
  const settling = new Settling((id) => say({ kind: "unknown", id }))
  const bodies = new Bodies(start.limits, start.maximumBytes)
  const connections = new Connections(start.limits, new Senders(start.trustedProxies))
  const groups = new Groups<Labelled>(receive)
  const left = await without(start.erasing, start.maximumBytes)
  const answerer = answering({ start, signing, without: left, reporting, knowing, bodies, groups, settling })
  const server = await listen(start, start.limits, connections, (request, response, visit) =>
    handle(answerer, request, response, visit)
  ).catch((cause: NodeJS.ErrnoException) => cause)
  if (server instanceof Error) say({ kind: "deaf", code: server.code, message: server.message })
  else {
    const closed = told(port, { knowing, reporting, settling })
    const address = server.address()
    say({ kind: "listening", port: typeof address === "object" && address !== null ? address.port : start.port })
    await closed
    await close(server, connections)
    reporting.send()
  }
  bodies[Symbol.dispose]()
  port.close()
}

interface Parts {
  readonly start: Start
  readonly signing: Signing
  readonly without: Without
  readonly reporting: Reporting
  readonly knowing: Knowing
  readonly bodies: Bodies
  readonly groups: Groups<Labelled>
  readonly settling: Settling
}

const answering = ({
  bodies,
  groups,
  knowing,
  reporting,
  settling,
  signing,
  start,
  without: left
}: Parts): Answerer => ({
  path: start.path,
  maximumBytes: start.maximumBytes,
  signing,
  knowing,
  bodies,
  groups,
  without: left,
  now: instants(),
  checking: (signature) => signing.checking(knowing.secrets, signature),
  wasRefused: (signature) => knowing.wasRefused(signature),
  settled: (then) => settling.wait(then),
  begin: start.traces ? Date.now : () => 0,
  received: start.traces ? (received) => reporting.received({ ...received, endMs: Date.now() }) : undefined,
  accepted: (headers, secret, signature) => {
    reporting.accepted(secret, signing.isPing(headers))
    if (knowing.came(signature, headers.eventId)) reporting.came(hexOf(signature), headers.eventId ?? null)
  },
  rejected: () => reporting.rejected(),
  refused: (why, { headers, signature }, isSigned) => {
    const hex = hexOf(signature)
    knowing.refused(hex, headers.eventId ?? null)
    reporting.refused(why, hex, headers.eventId ?? null, isSigned)
  },
  notStored: (cause) => reporting.notStored(cause)
})

/** Acts on the main thread's messages; resolves when told to close. */
const told = (port: MessagePort, { knowing, reporting, settling }: Pick<Parts, "knowing" | "reporting" | "settling">) =>
  new Promise<void>((resolve) => {
    const done = (id: number): void => port.postMessage({ kind: "done", id } satisfies Said)
    port.on("message", (message: Told) => {
      if (message.kind === "known") {
        knowing.become(message.known)
        done(message.id)
      } else if (message.kind === "heard") reporting.heard()
      else if (message.kind === "settled") settling.settled(message.id)
      else if (message.kind === "flush") {
        reporting.send()
        done(message.id)
      } else resolve()
    })
  })

/**
 * Deliveries signed with unknown secrets wait until the main thread says that new secrets may be known. Those of one
 * turn wait together.
 */
class Settling {
  readonly #ask: (id: number) => void
  readonly #waiting = new Map<number, Array<() => void>>()
  #id = 0
  #next: Array<() => void> = []

  constructor(ask: (id: number) => void) {
    this.#ask = ask
  }

  wait(act: () => void): void {
    this.#next.push(act)
    if (this.#next.length > 1) return
    setImmediate(() => {
      const id = ++this.#id
      this.#waiting.set(id, this.#next)
      this.#next = []
      this.#ask(id)
    })
  }

  settled(id: number): void {
    const acts = this.#waiting.get(id) ?? []
    this.#waiting.delete(id)
    for (const act of acts) act()
  }
}

/** The current time as text, formatted once per millisecond. */
const instants = () => {
  let millis = 0
  let text = Instant.fromMillis(millis)
  return (): Instant.Instant => {
    const now = Date.now()
    if (now === millis) return text
    millis = now
    text = Instant.fromMillis(now)
    return text
  }
}
