/**
 * The sender of a request, as far as its address shows it: the peer's address, or the one that a trusted proxy names. A
 * sender is known once one of its deliveries has verified. All others are strangers, and yield first when the receiver
 * is crowded.
 *
 * Behind a proxy that isn't trusted, everything comes from one address. That address becomes known with the first
 * delivery, so fairness by address no longer limits it, and each connection is judged by what it has carried itself
 * (`Connections`).
 */
import type { IncomingMessage } from "node:http"
import { type BlockList, isIP, isIPv4, isIPv6, SocketAddress } from "node:net"

/** The service has only a few addresses. One that was forgotten is known again with its next delivery. */
const mostKnown = 1_000

export class Senders {
  readonly #proxies: BlockList
  readonly #known = new Set<string>()

  constructor(proxies: BlockList) {
    this.#proxies = proxies
  }

  /** Undefined for a trusted proxy, which carries requests of many senders. */
  ofPeer(address = ""): string | undefined {
    const peer = plain(address)
    return this.#isProxy(peer) ? undefined : network(peer)
  }

  /** For a request that a trusted proxy passed on: the last address before our own proxies (RFC 7239 §5.2). */
  behindProxy(request: IncomingMessage): string {
    let sender = plain(request.socket.remoteAddress ?? "")
    for (const entry of namedIn(request).toReversed()) {
      const address = addressIn(entry)
      if (isIP(address) === 0) break
      sender = address
      if (!this.#isProxy(sender)) break
    }
    return network(sender)
  }

  isKnown(sender: string): boolean {
    return this.#known.has(sender)
  }

  /** One of its deliveries has verified. */
  proved(sender: string): void {
    // The most recently proved sender is forgotten last.
    this.#known.delete(sender)
    this.#known.add(sender)
    const [oldest] = this.#known
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest)
  }

  #isProxy(address: string): boolean {
    if (isIPv4(address)) return this.#proxies.check(address, "ipv4")
    return isIPv6(address) && this.#proxies.check(address, "ipv6")
  }
}

/** Without a zone. IPv4 is written as such where a dual-stack socket shows it inside IPv6. */
const plain = (address: string): string => {
  const [bare = ""] = address.split("%", 1)
  const v4 = /^::ffff:([\d.]+)$/i.exec(bare)?.[1]
  return v4 ?? (isIPv6(bare) ? new SocketAddress({ address: bare, family: "ipv6" }).address : bare)
}

/** One customer has a /64 of IPv6, and could send from each address in it. */
const network = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0")
  return [...head, ...zeros, ...tail].slice(0, 4).join(":")
}

/** Split at commas regardless of quotes: the first entries come from the client, which may leave a quote open. */
const namedIn = ({ headers }: IncomingMessage): ReadonlyArray<string> => {
  const list = headers["x-forwarded-for"]
  if (list !== undefined) return String(list).split(",")
  const elements = headers.forwarded?.split(",") ?? []
  return elements.map((element) => /(?:^|;)\s*for\s*=\s*"?([^;"]*)/i.exec(element)?.[1] ?? "")
}

/** Some proxies append the port. */
const addressIn = (entry: string): string => {
  const text = entry.trim()
  const [, v6, v4] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? []
  return plain(v6 ?? v4 ?? text)
}
