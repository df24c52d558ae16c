/**
 * The service as a sender: signed requests over a few persistent connections. Anything not answered 2xx is sent again, after
 * everything else, for as long as the test lasts.
 */
import { Agent, request } from "node:http"
import { sign } from "../../InterfaceServer.ts"
import type { World } from "../World.ts"

export interface Sent {
  readonly type: string
  readonly id: string
  readonly body: string
}

const connections = 24
const pauseMs = 100

export class Sender {
  readonly #world: World
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connections })
  #isClosed = false
  /** Answered 2xx so far. */
  taken = 0

  constructor(world: World) {
    this.#world = world
  }

  /** One attempt: the answer's status, or 0 without an answer or a subscription. */
  attempt({ body, id, type }: Sent): Promise<number> {
    const subscription = this.#world.server.subscriptions.at(-1)
    if (subscription === undefined) return Promise.resolve(0)
    const headers = {
      "Content-Type": "application/json",
      "X-Service-Signature": sign(subscription.secret, body),
      "X-Service-Event-Id": id,
      "X-Service-Event-Type": type
    }
    return new Promise((resolve) => {
      const post = request(subscription.url, { method: "POST", agent: this.#agent, headers })
      post.on("response", (response) => {
        response.on("error", () => undefined).resume()
        // The connection is free for the next one when the whole answer is there.
        response.on("close", () => resolve(response.statusCode ?? 0))
      })
      post.on("error", () => resolve(0))
      post.end(body)
    })
  }

  /** Everything, several at once, until each was answered 2xx. */
  async deliver(events: ReadonlyArray<Sent>): Promise<void> {
    const waiting = [...events]
    let next = 0
    const lane = async (): Promise<void> => {
      while (!this.#isClosed) {
        const event = waiting[next++]
        if (event === undefined) return
        if ((await this.attempt(event)) === 200) this.taken++
        else {
          waiting.push(event)
          await new Promise((done) => setTimeout(done, pauseMs))
        }
      }
    }
    await Promise.all(Array.from({ length: connections }, lane))
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#agent.destroy()
  }
}
