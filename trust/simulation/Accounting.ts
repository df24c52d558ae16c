/**
 * The model of the accounting system: it accepts an entry once, by its key. Its answers may be late, lost, refusals or
 * cut off.
 */
import { createHmac } from "node:crypto"
import { Duration, Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientError, type HttpClientResponse } from "effect/http"
import type { SinkOptions } from "../../src/Ledger/Outbox/Sink.ts"
import * as SinkPost from "../../src/Ledger/Outbox/SinkPost.ts"
import { movedBy } from "../Moved.ts"
import type { Machine } from "./Machine.ts"
import type { Epoch } from "./Timers.ts"
import type { SinkFault } from "./Steps.ts"

const secret = "a-shared-secret"
const latencyMs = [5, 100, 900, 4_000]
/** How long the worker waits for an answer. */
const patienceMs = 10_000

export interface Posted {
  readonly key: string
  readonly body: string
  readonly ipcId: string
  readonly sequence: number
  /** Its amount, and what it moves on each account. */
  readonly moved: ReadonlyArray<string>
}

interface Taken {
  readonly entry_id: string
  readonly ipc_id: string
  readonly amount: string
  readonly lines: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export class Accounting {
  /** The entries that it has accepted, in order. */
  readonly taken = new Map<string, Posted>()
  readonly violations: Array<string> = []
  readonly #machine: Machine
  readonly #refused = new Map<string, number>()
  fault: SinkFault | undefined
  /** The sequence of the entry that has this key in the books; undefined: the books don't have it. */
  isPosted: (key: string) => number | undefined = () => undefined

  constructor(machine: Machine) {
    this.#machine = machine
  }

  readonly options: SinkOptions = {
    adapter: SinkPost.adapter(new URL("http://accounting.test/entries"), secret, Duration.millis(patienceMs)),
    pauses: { first: Duration.seconds(1), longest: Duration.minutes(10) }
  }

  layer(epoch: Epoch): Layer.Layer<HttpClient.HttpClient> {
    /** The IPCs for which this process awaits an answer. */
    const underWay = new Set<string>()
    /** The entries for which the process got the 2xx. */
    const confirmed = new Set<string>()
    return Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) =>
        Effect.gen({ self: this }, function* () {
          const { fault } = this
          const { random } = this.#machine
          const bytes = request.body._tag === "Uint8Array" ? request.body.body : new Uint8Array()
          const key = request.headers["idempotency-key"] ?? ""
          yield* this.#machine.gate(epoch, `post ${key.slice(0, 8)}`)
          const { ipc_id: ipcId } = JSON.parse(Buffer.from(bytes).toString()) as { readonly ipc_id: string }
          if (underWay.has(ipcId)) this.violations.push(`two entries of ${ipcId} were under way at once`)
          if (confirmed.has(key)) this.violations.push(`entry ${key} was sent again after its 2xx`)
          underWay.add(ipcId)
          const sentMs = this.#machine.nowMs
          yield* Effect.addFinalizer(() => Effect.sync(() => underWay.delete(ipcId)))
          if (fault === "silent") return yield* Effect.never
          const lost = new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause: new Error("cut off") })
          })
          if (fault === "cut") return yield* lost
          if (fault === "some" && random.chance(0.5)) return answer(503, {})
          if (fault !== "some") yield* Effect.sleep(random.pick(latencyMs))
          const isRefusing = fault === "422" && (this.#refused.get(key) ?? 0) < 2
          if (isRefusing) this.#refused.set(key, (this.#refused.get(key) ?? 0) + 1)
          if (fault === "503" || fault === "429" || isRefusing) {
            return answer(isRefusing ? 422 : Number(fault), fault === "429" ? { "retry-after": "3" } : {})
          }
          const isKnown = this.taken.has(key)
          this.#take(key, Buffer.from(bytes), request.headers["x-siteledger-signature"] ?? "")
          if (fault === "taken-silent") return yield* Effect.never
          if (fault === "taken-cut") return yield* lost
          if (fault !== "some") yield* Effect.sleep(random.pick(latencyMs))
          // If the machine slept, the process may have stopped waiting.
          if (this.#machine.nowMs - sentMs < patienceMs) confirmed.add(key)
          return isKnown && random.chance(0.5) ? answer(409, {}, JSON.stringify({ entry_id: key })) : answer(201, {})
        }).pipe(Effect.scoped)
      )
    )
  }

  #take(key: string, bytes: Buffer, signature: string): void {
    this.#machine.note(`taken ${key.slice(0, 8)}`)
    if (signature !== createHmac("sha256", secret).update(bytes).digest("hex")) {
      this.violations.push(`the signature of entry ${key} is wrong`)
    }
    const body = bytes.toString()
    const entry = JSON.parse(body) as Taken
    if (entry.entry_id !== key) this.violations.push(`entry ${entry.entry_id} was sent under the key ${key}`)
    const sequence = this.isPosted(key)
    if (sequence === undefined) return void this.violations.push(`entry ${key} was sent and isn't in the books`)
    const known = this.taken.get(key)
    if (known !== undefined) {
      if (known.body !== body) this.violations.push(`entry ${key} was sent again with other bytes`)
      return
    }
    const later = [...this.taken.values()].find((one) => one.ipcId === entry.ipc_id && one.sequence > sequence)
    if (later !== undefined) this.violations.push(`entry ${key} of ${entry.ipc_id} was sent after a later one`)
    this.taken.set(key, { key, body, ipcId: entry.ipc_id, sequence, moved: [entry.amount, ...movedBy(entry.lines)] })
  }
}

const answer = (
  status: number,
  headers: Readonly<Record<string, string>>,
  text = ""
): HttpClientResponse.HttpClientResponse =>
  ({ status, headers, stream: Stream.make(new TextEncoder().encode(text)) }) as never
