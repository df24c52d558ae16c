/**
 * A day in the lives of IPCs as a service would report it, and what the books must say in the end. The rules are written
 * again from the contract, on whole ten-thousandths; no code is shared with the product, on purpose.
 */
import { randomUUID } from "node:crypto"
import { exactNumber } from "../../InterfaceServer.ts"
import type { Random } from "../../Seeded.ts"
import type { Sent } from "./Sender.ts"

export interface Certificate {
  readonly micros: number
  readonly units: bigint
}

export interface Payment {
  readonly micros: number
  readonly reference: string
  readonly body: string
}

export interface Life {
  readonly ipcId: string
  readonly certificates: Array<Certificate>
  readonly payments: Array<Payment>
}

export interface Day {
  readonly lives: ReadonlyArray<Life>
  /** Every event once. */
  readonly events: ReadonlyArray<Sent>
}

const midnight = Date.UTC(2026, 8, 1) * 1000
const dayMicros = 86_400 * 1_000_000
const certificatesPerLife = [0, 1, 1, 1, 1, 1, 2, 2, 3]

const iso = (micros: number): string =>
  `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 20)}${String(micros % 1_000_000).padStart(6, "0")}Z`

const amount = (random: Random): { readonly text: string; readonly units: bigint } => {
  const whole = random.digits(1 + random.below(random.chance(0.1) ? 24 : 8))
  const decimals = random.digits(4).slice(0, random.below(5))
  return {
    text: decimals === "" ? whole : `${whole}.${decimals}`,
    units: BigInt(whole + decimals.padEnd(4, "0"))
  }
}

class Teller {
  readonly random: Random
  readonly events: Array<Sent> = []
  readonly lives: Array<Life> = []

  constructor(random: Random) {
    this.random = random
  }

  live(): void {
    const { random } = this
    const life: Life = { ipcId: `IPC-${this.lives.length}`, certificates: [], payments: [] }
    this.lives.push(life)
    const paidAt = this.#moment()
    if (random.chance(0.9)) {
      this.#tell("ipc.created", life, this.#moment(), { project: random.below(40), draft_amount: this.#money().json })
    }
    if (random.chance(0.9)) {
      this.#tell("ipc.submitted", life, this.#moment(), { submitter: "Zoë", amount: this.#money().json })
    }
    const count = random.pick(certificatesPerLife)
    while (life.certificates.length < count) this.#certify(life, paidAt)
    if (random.chance(0.85)) this.#pay(life, paidAt, `PAY-${life.ipcId}`)
    if (life.payments.length > 0 && random.chance(0.04)) this.#pay(life, this.#moment(), `PAY-${life.ipcId}`)
    if (life.payments.length > 0 && random.chance(0.04)) this.#pay(life, this.#moment(), `PAY-${life.ipcId}-again`)
  }

  /** Mostly before the payment, sometimes in the same microsecond, and never two of one IPC at the same time. */
  #certify(life: Life, paidAt: number): void {
    const { random } = this
    const before = midnight + random.below(Math.floor((paidAt - midnight) / 1000) + 1) * 1000
    const micros = random.chance(0.05) ? paidAt : random.chance(0.6) ? before : this.#moment()
    if (life.certificates.some((other) => other.micros === micros)) return
    const former = random.chance(0.15) ? life.certificates.at(-1) : undefined
    const { json, units } = former === undefined ? this.#money() : { json: written(former.units), units: former.units }
    life.certificates.push({ micros, units })
    this.#tell("ipc.certified", life, micros, {
      certified_amount: json,
      certificate_url: `https://c/${random.digits(9)}`
    })
  }

  #pay(life: Life, micros: number, reference: string): void {
    for (const body of this.#tell("ipc.paid", life, micros, { payment_reference: reference })) {
      life.payments.push({ micros, reference, body })
    }
  }

  #money(): { readonly json: unknown; readonly units: bigint } {
    const { text, units } = amount(this.random)
    if (units === 0n) return this.#money()
    return { json: this.random.chance(0.5) ? text : exactNumber(text), units }
  }

  #moment(): number {
    return midnight + this.random.below(dayMicros / 1000) * 1000 + this.random.below(1000)
  }

  /** Now and then another body says the same. */
  #tell(type: string, { ipcId }: Life, micros: number, contents: object): ReadonlyArray<string> {
    const event = { event_timestamp: iso(micros), ipc_id: ipcId, ...contents }
    const bodies = [JSON.stringify(event), ...(this.random.chance(0.03) ? [JSON.stringify(event, null, 1)] : [])]
    for (const body of bodies) this.events.push({ type, id: randomUUID(), body })
    return bodies
  }
}

const written = (units: bigint): unknown =>
  exactNumber(`${units / 10_000n}.${String(units % 10_000n).padStart(4, "0")}`)

/** At least this many events: the last life is completed. */
export const day = (random: Random, atLeast: number): Day => {
  const teller = new Teller(random)
  while (teller.events.length < atLeast) teller.live()
  return teller
}

/** In a random order, some more than once, some of those under another id. */
export const disordered = (random: Random, events: ReadonlyArray<Sent>): ReadonlyArray<Sent> => {
  const again = events.filter(() => random.chance(0.05))
  return random.shuffle([
    ...events,
    ...again.map((event) => (random.chance(0.5) ? event : { ...event, id: randomUUID() }))
  ])
}

export interface Judgement {
  /** In ten-thousandths; undefined where nothing was paid. */
  readonly net: bigint | undefined
  /** Reason and payment reference of each open hold. */
  readonly holds: ReadonlyArray<string>
}

/** `storedAt`: the place of a body in the stored order, which decides which payment was first. */
export const judge = ({ certificates, payments }: Life, storedAt: (body: string) => number): Judgement => {
  const [paid] = payments.toSorted((a, b) => storedAt(a.body) - storedAt(b.body))
  if (paid === undefined) return { net: undefined, holds: [] }
  const inTime = certificates.toSorted((a, b) => a.micros - b.micros)
  const valid =
    inTime.findLast(({ micros }) => micros <= paid.micros) ?? inTime.find(({ micros }) => micros > paid.micros)
  const later = inTime.filter(
    ({ micros, units }) => micros > paid.micros && micros !== valid?.micros && units !== valid?.units
  )
  const others = new Set(payments.map(({ reference }) => reference).filter((reference) => reference !== paid.reference))
  return {
    net: valid?.units ?? 0n,
    holds: [
      ...(valid === undefined ? [`awaiting-certified-amount ${paid.reference}`] : []),
      ...later.map(() => `recertified-after-payment ${paid.reference}`),
      ...[...others].map((reference) => `second-payment-reference ${reference}`)
    ].toSorted()
  }
}
