/**
 * A connection that survives an answer that breaks PostgreSQL's protocol. pg's parser throws on such an answer, and
 * where it is called an exception would end the program. Here it ends only the connection: everything that waits on it
 * fails, and may be retried.
 */
import { Socket, type SocketConstructorOpts } from "node:net"
import type { Duplex } from "node:stream"
import { Client, type ClientConfig, DatabaseError, type PoolClient } from "pg"
import { Frames, type TakeRows } from "./Frames.ts"

type Listener = (bytes: Buffer) => void

/** Missing from pg's types. */
interface Attaching {
  attachListeners: (stream: Pick<Duplex, "on">) => void
}

const caught =
  (stream: Duplex, listener: Listener): Listener =>
  (bytes) => {
    try {
      listener(bytes)
    } catch (cause) {
      stream.destroy(new Error("the server's answer breaks its protocol", { cause }))
    }
  }

export class GuardedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    const connection = this.connection as unknown as Attaching
    const attach = connection.attachListeners.bind(connection)
    connection.attachListeners = (stream) => {
      const all = stream as Duplex
      attach({
        on: (event: string, listener: Listener) =>
          all.on(event, event === "data" ? caught(all, this.reading(listener)) : listener)
      } as Pick<Duplex, "on">)
    }
  }

  /** The function that reads the server's bytes; `listener` is pg's. */
  protected reading(listener: Listener): Listener {
    return listener
  }
}

/** A connection from which rows of a COPY can be taken. */
export class CopyingClient extends GuardedClient {
  #frames: Frames | undefined

  constructor(config: ClientConfig = {}) {
    super({ ...config, stream: streamOf as unknown as NonNullable<ClientConfig["stream"]> })
  }

  /** From the next statement on; undefined to stop. */
  take(rows: TakeRows | undefined): void {
    if (this.#frames !== undefined) this.#frames.take = rows
  }

  protected override reading(listener: Listener): Listener {
    // pg keeps bytes that it can't parse yet, but the next bytes arrive in the same buffer.
    const frames = new Frames((bytes) => listener(Buffer.from(bytes)))
    this.#frames = frames
    return (bytes) => frames.read(bytes)
  }
}

const readBytes = 64 * 1024

/**
 * Node allocates an off-heap buffer for each 64 kB that arrive, which triggers garbage collection more often: that took
 * 1.5 s of processor time for 350 MB. This socket reads into one buffer. TLS reads from the connection itself.
 */
const streamOf = ({ ssl }: ClientConfig): Socket => {
  if (ssl !== undefined && ssl !== false) return new Socket()
  const onread = {
    buffer: Buffer.alloc(readBytes),
    callback: (length: number, bytes: Uint8Array) => {
      socket.emit("data", Buffer.from(bytes.buffer, bytes.byteOffset, length))
      return true
    }
  }
  const socket: Socket = new Socket({ onread } as SocketConstructorOpts)
  return socket
}

/** pg would reuse a connection that is still waiting for the answer to a query that timed out. */
export const discardWhenBroken = (client: PoolClient): void => {
  const query = client.query.bind(client) as (...args: ReadonlyArray<unknown>) => unknown
  const noticing = (...args: ReadonlyArray<unknown>): unknown => {
    const answer = query(...args)
    if (answer instanceof Promise) {
      answer.catch((cause: unknown) => {
        if (!(cause instanceof DatabaseError)) Object.assign(client, { _queryable: false })
      })
    }
    return answer
  }
  Object.assign(client, { query: noticing })
}
