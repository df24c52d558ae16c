/**
 * The model of the service: the truth about projects and events, deliveries that are lost, repeated, delayed and
 * retried, and a list whose pages shift while it is read.
 */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { timed } from "../../connectors/construction/ConstructionClient.ts"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import { readPage } from "../../connectors/construction/ConstructionPages.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import type { Delivery } from "../../src/Stores/Deliveries.ts"
import { Pace } from "../../src/Walk/Pace.ts"
import { type PagedList, Source } from "../../src/Walk/Source.ts"
import { type Machine, startMs } from "./Machine.ts"
import type { Epoch } from "./Timers.ts"
import { type Attempt, type Happening, offsetsMs, type Sending, type Step } from "./Steps.ts"

/** The content of one event, as the service knows it. */
export interface Said {
  readonly step: Happening
  readonly micros: number
  readonly body: Buffer
  readonly sha256: string
  readonly eventId: string
}

/** The plan's limit in any minute. */
export const requestsPerMinute = 8
const latencyMs = [5, 40, 300, 1_200]
const patienceMs = 10_000

/** Takes a delivery; `acknowledged` is called once it has its 2xx. */
export type Receive = (delivery: Delivery, acknowledged: () => void) => void

export class Service {
  readonly projects = new Map<number, string>()
  readonly said = new Map<string, Said>()
  /** Bodies that got a 2xx. */
  readonly acknowledged = new Set<string>()
  /** When requests arrived, by true time. */
  readonly requests: Array<number> = []
  readonly #machine: Machine
  /** Undefined while the worker is down. */
  receive: Receive | undefined
  fault: "500" | "429" | "silent" | "cut" | undefined

  constructor(machine: Machine) {
    this.#machine = machine
  }

  change({ id, name }: Extract<Step, { kind: "project" }>): void {
    if (name === undefined) this.projects.delete(id)
    else this.projects.set(id, name)
  }

  say(step: Happening & Pick<Step, "atMs">): void {
    const micros = (startMs + step.atMs + step.shiftMs) * 1000
    // Coarse, so that some events happen at the same time.
    const at = Instant.fromMicros(Math.floor(micros / 600_000_000) * 600_000_000)
    const { entity, id, type, values } = step
    const key = { ipcs: "ipc_id", vos: "vo_id", ncrs: "ncr_id", permits: "permit_id" }[entity as string] ?? "id"
    const renamed = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name === "submitted_amount" ? "amount" : name, value])
    )
    const body = Buffer.from(
      JSON.stringify({ event_type: type, event_timestamp: at, [key]: id, ...renamed, serial: step.number })
    )
    const sha256 = createHash("sha256").update(body).digest("hex")
    const eventId = step.reuses ? "evt-reused" : `evt-${step.number}`
    this.said.set(sha256, { step, micros: Instant.toMicros(at), body, sha256, eventId })
    this.#deliver(body, eventId, type, step)
  }

  sayUnreadable({ number, ...sending }: Extract<Step, { kind: "unreadable" }>): void {
    const body = Buffer.from(`{"event_type":"unheard.of","serial":${number}}`)
    this.#deliver(body, `evt-${number}`, "unheard.of", sending)
  }

  #deliver(body: Buffer, eventId: string, headerType: string, { attempts, delayMs, isReplayed }: Sending): void {
    if (attempts === undefined) return
    const bodySha256 = createHash("sha256").update(body).digest()
    const sha256 = bodySha256.toString("hex")
    let isDone = false
    const attempt = (number: number): void => {
      if (isDone || number >= offsetsMs.length) return
      const offset = (offsetsMs[number + 1] ?? 0) - (offsetsMs[number] ?? 0)
      this.#machine.after(0, offset, () => attempt(number + 1))
      const how: Attempt = attempts[number] ?? "ok"
      if (how === "request-lost") return
      const delivery = (id: string): Delivery => ({
        body,
        bodySha256,
        eventId: id,
        headerType,
        issuedAt: null,
        receivedAt: Instant.fromMillis(this.#machine.wallNowMs),
        headers: [],
        secret: "f"
      })
      const id = isReplayed && number > 0 ? `${eventId}-again` : eventId
      const acknowledge = (): void => {
        this.#machine.note(`acknowledged ${sha256.slice(0, 8)}`)
        this.acknowledged.add(sha256)
        isDone ||= how !== "answer-lost"
      }
      this.receive?.(delivery(id), acknowledge)
      if (how === "twice") this.receive?.(delivery(id), acknowledge)
    }
    this.#machine.after(0, delayMs, () => attempt(0))
  }

  /** The list, as one process reads it. */
  source(epoch: Epoch): Layer.Layer<Source, never, Pace> {
    return Layer.effect(
      Source,
      Effect.map(Pace, (pace) => {
        const fetch: PagedList["fetch"] = (page, perPage = 3, lane) =>
          Effect.gen({ self: this }, function* () {
            while (true) {
              yield* pace.take(lane)
              const answer = yield* this.#exchange(epoch, page, perPage)
              if (answer === "429") yield* pace.rejected(undefined)
              else if (answer !== undefined) {
                yield* pace.accepted
                const read = yield* Effect.option(readPage(answer))
                if (read._tag === "Some") return changesOf(read.value)
              }
              yield* Effect.sleep("1 second")
            }
          })
        return Source.of({ lists: [{ resource: "projects", fetch }] })
      })
    )
  }

  #exchange(epoch: Epoch, page: number, perPage: number) {
    const { random } = this.#machine
    return Effect.gen({ self: this }, function* () {
      const times = yield* timed
      yield* this.#machine.gate(epoch, `request page ${page}`)
      this.requests.push(this.#machine.nowMs)
      const { fault } = this
      if (fault === "silent") return yield* Effect.as(Effect.sleep(patienceMs), undefined)
      yield* Effect.sleep(random.pick(latencyMs))
      if (fault === "429") return "429" as const
      if (fault === "500") return undefined
      const serviceMs = Math.floor((startMs + this.#machine.nowMs) / 1000) * 1000
      const text = this.#page(page, perPage)
      yield* Effect.sleep(random.pick(latencyMs))
      return {
        text: fault === "cut" ? text.slice(0, -7) : text,
        ...times(),
        serviceMs
      }
    })
  }

  /** Newest first, so adding or removing a project shifts all pages. */
  #page(page: number, perPage: number): string {
    const all = [...this.projects].toReversed()
    const data = all.slice((page - 1) * perPage, page * perPage).map(([id, name]) => ({ id, name, status: "awarded" }))
    return JSON.stringify({ data, pagination: { total: all.length, page, per_page: perPage } })
  }
}
