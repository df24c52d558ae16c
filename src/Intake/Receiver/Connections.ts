/**
 * The connections of the receiver, and which of them is closed when there are too many.
 *
 * A stranger can open connections faster than they time out, so a new connection is never refused in favour of one that
 * has proved nothing. The stranger with the most connections loses one first. If no stranger has several, the least
 * useful connection of all is closed: one without a complete head, then an idle one, then one with an unfinished
 * request. Those that carried a verified delivery come last, and none is closed during a request that verified. Nothing
 * here is stored.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Standing } from "./Bodies.ts"
import type { Senders } from "./Senders.ts"

interface Connection {
  readonly socket: Socket
  /** Undefined for a trusted proxy, which isn't a stranger. */
  readonly sender: string | undefined
  readonly openedMs: number
  /** When it was opened, or a request last began or was answered. */
  usedMs: number
  /** Requests whose head has arrived, and the number of them without an answer. */
  requests: number
  unanswered: number
  /** The connection has carried a verified delivery. */
  isProven: boolean
}

/** A request, from its head to its answer. */
export interface Visit {
  readonly standing: () => Standing
  /** The request is a verified delivery. */
  readonly proved: () => void
  /**
   * Whether its answer announces the end of its connection. Connections end only by announcement: closing one without
   * it could cut off the sender's next request.
   */
  readonly isLast: () => boolean
}

const busyAndProven = 4

/** The lowest yields first. */
const rank = ({ isProven, requests, unanswered }: Connection): number => {
  if (isProven) return unanswered > 0 ? busyAndProven : 3
  return unanswered > 0 ? 2 : Math.min(requests, 1)
}

/** The least recently used connection of the lowest rank. They are given in the order in which they were opened. */
const least = (connections: Iterable<Connection>): Connection | undefined => {
  let yields: Connection | undefined
  for (const each of connections) {
    // The oldest silent one. Found quickly under the usual attack, which opens thousands a second.
    if (rank(each) === 0) return each
    const difference = yields === undefined ? -1 : rank(each) - rank(yields)
    if (yields === undefined || difference < 0 || (difference === 0 && each.usedMs < yields.usedMs)) yields = each
  }
  return yields
}

export class Connections {
  readonly #most: number
  readonly #longestMs: number
  readonly #senders: Senders
  readonly #all = new Map<Socket, Connection>()
  readonly #bySender = new Map<string, Set<Connection>>()
  #isClosing = false

  constructor(limits: { readonly connections: number; readonly connectionMs: number }, senders: Senders) {
    this.#most = limits.connections
    this.#longestMs = limits.connectionMs
    this.#senders = senders
  }

  opened(socket: Socket): void {
    const nowMs = performance.now()
    const sender = this.#senders.ofPeer(socket.remoteAddress)
    const news = { openedMs: nowMs, usedMs: nowMs, requests: 0, unanswered: 0, isProven: false }
    const connection: Connection = { socket, sender, ...news }
    if (this.#all.size >= this.#most && !this.#makeRoom()) return void socket.destroy()
    this.#all.set(socket, connection)
    if (sender !== undefined) {
      const ofSender = this.#bySender.get(sender) ?? new Set()
      this.#bySender.set(sender, ofSender.add(connection))
    }
    socket.once("close", () => this.#forget(connection))
  }

  /** The head of a request has arrived. Returns undefined if its connection had to yield. */
  began(request: IncomingMessage, response: ServerResponse): Visit | undefined {
    const connection = this.#all.get(request.socket)
    if (connection === undefined) return undefined
    connection.requests++
    connection.unanswered++
    connection.usedMs = performance.now()
    response.once("close", () => {
      connection.unanswered--
      connection.usedMs = performance.now()
    })
    const sender = connection.sender ?? this.#senders.behindProxy(request)
    return {
      standing: () => (!this.#senders.isKnown(sender) ? "stranger" : connection.isProven ? "proven" : "known"),
      proved: () => {
        connection.isProven = true
        this.#senders.proved(sender)
      },
      isLast: () => this.#isClosing || performance.now() - connection.openedMs >= this.#longestMs
    }
  }

  /** From now on every answer is the last on its connection. Closes connections that have been idle for this long. */
  closing(idleMs: number): void {
    this.#isClosing = true
    const sinceMs = performance.now() - idleMs
    for (const { socket, unanswered, usedMs } of this.#all.values()) {
      if (unanswered === 0 && usedMs <= sinceMs) socket.destroy()
    }
  }

  #makeRoom(): boolean {
    const crowd = this.#largestCrowd()
    const yields = least(crowd !== undefined && crowd.size > 1 ? crowd : this.#all.values())
    if (yields === undefined || rank(yields) === busyAndProven) return false
    this.#forget(yields)
    yields.socket.destroy()
    return true
  }

  /** The connections of the stranger with the most of them. */
  #largestCrowd(): ReadonlySet<Connection> | undefined {
    let largest: ReadonlySet<Connection> | undefined
    for (const [sender, crowd] of this.#bySender) {
      if (crowd.size > (largest?.size ?? 0) && !this.#senders.isKnown(sender)) largest = crowd
    }
    return largest
  }

  #forget(connection: Connection): void {
    this.#all.delete(connection.socket)
    const ofSender = this.#bySender.get(connection.sender ?? "")
    ofSender?.delete(connection)
    if (ofSender?.size === 0) this.#bySender.delete(connection.sender ?? "")
  }
}
