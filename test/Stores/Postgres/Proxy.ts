/**
 * A network between a worker and PostgreSQL that can be made to fail: silent in both directions (a half-open
 * connection), cut, cut around the next COMMIT, or repeating each answer.
 */
import { once } from "node:events"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/**
 * What happens to the connection at the next COMMIT. before: cut before the server receives it. held: cut on the client's
 * side only, so the server goes on waiting. after: cut when the server has answered.
 */
export type AtCommit = "before" | "held" | "after"

export interface Proxy extends AsyncDisposable {
  /** The same database through this proxy. */
  readonly url: string
  readonly silence: () => void
  /** Ends the silence and passes on what was held back. */
  readonly speak: () => void
  /**
   * Ends the silence for new connections alone. The present ones are never heard of again, on either side: TCP tries again
   * ever more seldom, so after a long silence nothing comes for as long again.
   */
  readonly heal: () => void
  /** The server's answers come twice from now on, in one piece. */
  readonly repeat: () => void
  /** Cuts every connection. */
  readonly cut: () => void
  /** Settles when that COMMIT has arrived. */
  readonly atNextCommit: (what: AtCommit) => Promise<void>
  /** Open connections on the client's side. */
  readonly open: () => number
}

type Pair = readonly [client: Socket, server: Socket]

const commit = Buffer.from("commit\0")

/** What passes between the two sides, or is held back. */
const makeWire = (pairs: ReadonlySet<Pair>) => {
  const lost = new WeakSet<Pair>()
  let isSilent = false
  let held: Array<() => void> = []
  return {
    passing:
      (pair: Pair) =>
      (deliver: () => void): void =>
        void (isSilent || lost.has(pair) ? held.push(deliver) : deliver()),
    silence: () => void (isSilent = true),
    speak: () => {
      isSilent = false
      const now = held
      held = []
      for (const deliver of now) deliver()
    },
    heal: () => {
      for (const pair of pairs) lost.add(pair)
      isSilent = false
      held = []
    }
  }
}

export const proxied = async (url: string): Promise<Proxy> => {
  const target = new URL(url)
  const pairs = new Set<Pair>()
  const { passing, ...wire } = makeWire(pairs)
  let next: { readonly what: AtCommit; readonly seen: () => void } | undefined
  let isRepeating = false

  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname)
    const pair: Pair = [client, server]
    const pass = passing(pair)
    pairs.add(pair)
    let isAnswerLost = false
    let isHeld = false
    const onCommit = (chunk: Buffer, { seen, what }: NonNullable<typeof next>): void => {
      isHeld = what === "held"
      isAnswerLost = what === "after"
      if (isAnswerLost) server.write(chunk)
      else client.destroy()
      seen()
    }
    client.on("data", (chunk) => {
      const known = chunk.includes(commit) ? next : undefined
      if (known === undefined) return pass(() => server.write(chunk))
      next = undefined
      onCommit(chunk, known)
    })
    server.on("data", (chunk) => {
      if (isAnswerLost) client.destroy()
      else pass(() => client.write(isRepeating ? Buffer.concat([chunk, chunk]) : chunk))
    })
    // In a silent network the end of a connection is lost, too.
    client.on("close", () => isHeld || pass(() => server.destroy()))
    server.on("close", () => {
      pairs.delete(pair)
      pass(() => client.destroy())
    })
    for (const socket of pair) socket.on("error", () => undefined)
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const cut = (): void => [...pairs].flat().forEach((socket) => socket.destroy())
  return {
    url: Object.assign(new URL(url), { port: String((listener.address() as AddressInfo).port) }).href,
    ...wire,
    cut,
    repeat: () => void (isRepeating = true),
    atNextCommit: (what) => new Promise((seen) => void (next = { what, seen })),
    open: () => [...pairs].filter(([client]) => !client.destroyed).length,
    [Symbol.asyncDispose]: async () => {
      const closed = once(listener, "close")
      listener.close()
      cut()
      await closed
    }
  }
}
