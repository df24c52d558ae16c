/**
 * The lives of IPCs, told event by event, and the rows and the money that must result from any subset of the events.
 * Written from the interface document, without the product's code.
 */
import { createHash } from "node:crypto"
import type { Dice } from "../sandbox/Seed.ts"

export interface Told {
  readonly type: string
  readonly id: string
  readonly body: string
  readonly sha256: string
  readonly ipc: string
  readonly stage: Stage
  /** The certificate's amount, with four decimals. */
  readonly amount: string | undefined
}

const stages = ["created", "submitted", "certified", "paid"] as const
type Stage = (typeof stages)[number]

export interface Ipc {
  readonly status: Stage
  readonly certified: string | undefined
  /** What the books must have posted for it; undefined: nothing. */
  readonly paid: string | undefined
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex")
const uuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")

const dayMs = 86_400_000

export class Tale {
  readonly #dice: Dice
  readonly #name: string
  readonly #from: number
  readonly told: Array<Told> = []
  #count = 0

  /** `from`: when the first event happened. Default: long enough ago for every clock. */
  constructor(dice: Dice, name = "IPC", from = Date.now() - 30 * dayMs) {
    this.#dice = dice
    this.#name = name
    this.#from = from
  }

  /** The next events; the events of one IPC are consecutive. `filler`: how many extra bytes each body has. */
  take(count: number, filler = 0): ReadonlyArray<Told> {
    const taken = Array.from({ length: count }, () => this.#next(filler))
    this.told.push(...taken)
    return taken
  }

  #next(filler: number): Told {
    const number = this.#count++
    const stage = stages[number % stages.length] ?? "created"
    const ipc = `${this.#name}-${Math.floor(number / stages.length)}`
    // In euros, with the trailing zeros of the column.
    const amount = `${1 + this.#dice.below(9_999_999)}.${String(this.#dice.below(100)).padStart(2, "0")}00`
    const fields = {
      created: { project_id: 1 + this.#dice.below(20), draft_amount: amount },
      submitted: { submitter: `Engineer ${number}`, amount },
      certified: { certified_amount: amount, certificate_url: `https://c.example.com/${number}` },
      paid: { payment_reference: `PAY-${ipc}` }
    }[stage]
    const event_timestamp = new Date(this.#from + number * 1000).toISOString()
    const note = filler > 0 ? { note: "n".repeat(filler) } : {}
    const body = JSON.stringify({ event_timestamp, ipc_id: ipc, ...fields, ...note })
    const sha256 = hash(body)
    return {
      type: `ipc.${stage}`,
      id: uuid(sha256),
      body,
      sha256,
      ipc,
      stage,
      amount: stage === "certified" ? amount : undefined
    }
  }
}

/** The state that must result from the events, in any order. */
export const model = (events: ReadonlyArray<Told>): ReadonlyMap<string, Ipc> => {
  const ipcs = Map.groupBy(events, ({ ipc }) => ipc)
  return new Map(
    [...ipcs].map(([id, of]) => {
      const certified = of.find(({ stage }) => stage === "certified")?.amount
      const isPaid = of.some(({ stage }) => stage === "paid")
      const status = stages.findLast((stage) => of.some((event) => event.stage === stage)) ?? "created"
      return [id, { status, certified, paid: isPaid ? certified : undefined }]
    })
  )
}
