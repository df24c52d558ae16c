/**
 * The people of the firm: they answer siteledger's questions from what really happened, and do things that they aren't
 * asked for. Everything they do is done once, although the worker may be killed before it confirms it.
 */
import { writeFileSync } from "node:fs"
import type { Dice } from "../../sandbox/Seed.ts"
import { inLanes } from "../Lanes.ts"
import * as Decimal from "./Decimal.ts"
import type { Act, Answer, Life, Phase } from "./Life.ts"
import { type Office, Refusal } from "./Office.ts"

interface Hold {
  readonly hold_id: string
  readonly ipc_id: string
  readonly reason: string
  readonly payment_reference: string
}

interface Entry {
  readonly entry_id: string
  readonly kind: string
  readonly payment_reference: string
  readonly reverses: string | null
}

const [by, another] = ["Ana", "Ben"]
/** How many IPCs are handled at a time. */
const people = 16
const reason = "as the bank says"

/** The rows of a verb's answer. */
const rowsIn = <A>(answer: unknown): ReadonlyArray<A> => (answer as { readonly rows: ReadonlyArray<A> }).rows

const isTakenBack = ({ acts }: Life): boolean =>
  acts.some((act) => act.verb === "reverse" && act.what === "payments" && act.isUndone !== true)

/** The answer that follows from the reason itself, where the history has none. */
const usual = (life: Life, reason: string): Answer | undefined => {
  const isRefusing = life.late === "reject" || isTakenBack(life)
  if (reason === "period-closed" || reason === "changed-after-refusal")
    return { verdict: isRefusing ? "reject" : "accept" }
  return reason === "second-person" || reason === "over-payment" ? { verdict: "accept" } : undefined
}

export class Clerk {
  readonly #office: Office
  readonly #lives: ReadonlyMap<string, Life>
  readonly #dice: Dice
  /** How many were answered, by reason. */
  readonly answered = new Map<string, number>()
  /** How many decisions go through the command line; the others go through the admin listener directly. */
  #typed = 12

  constructor(office: Office, lives: ReadonlyArray<Life>, dice: Dice) {
    this.#office = office
    this.#lives = new Map(lives.map((life) => [life.id, life]))
    this.#dice = dice
  }

  async #holds(): Promise<ReadonlyArray<Hold>> {
    return rowsIn<Hold>(await this.#office.verb("ledger-holds"))
  }

  #answerTo({ ipc_id, payment_reference, reason }: Hold): Answer | undefined {
    const life = this.#lives.get(ipc_id)
    if (life === undefined) return undefined
    const { answers } = life
    return answers.get(`${reason} ${payment_reference}`) ?? answers.get(reason) ?? usual(life, reason)
  }

  /** Answers everything that it can, for many IPCs at a time, and returns how many answers that was. */
  async answer(isAllThere: boolean): Promise<number> {
    const ready = (await this.#holds()).flatMap((hold) => {
      const answer = this.#answerTo(hold)
      return answer === undefined || (answer.isPatient === true && !isAllThere) ? [] : [{ hold, answer }]
    })
    const ofIpcs = [...Map.groupBy(ready, ({ hold }) => hold.ipc_id).values()]
    const done = await inLanes(people, ofIpcs, async (some) => {
      let count = 0
      for (const { answer, hold } of some) if (await this.#decide(hold, answer)) count++
      return count
    })
    return done.reduce((sum, each) => sum + each, 0)
  }

  async #decide({ hold_id: hold, reason: why }: Hold, { amount, verdict }: Answer): Promise<boolean> {
    const signed = { by: why === "second-person" ? another : by, reason }
    const given = amount === undefined ? undefined : Decimal.text(amount, 2)
    const isTyped = this.#typed > 0 && this.#dice.chance(0.3)
    if (isTyped) {
      this.#typed--
      const amounts = given === undefined ? [] : [`--amount=${given}`]
      const words = ["ledger", verdict, hold, ...amounts, "--by", signed.by, "--reason", signed.reason]
      if ((await this.#office.command(...words)).code !== 0) return false
    } else {
      const done = await this.#unlessRefused(`ledger-${verdict}`, {
        hold,
        ...signed,
        ...(given === undefined ? {} : { amount: given })
      })
      if (!done) return false
    }
    this.answered.set(why, (this.answered.get(why) ?? 0) + 1)
    return true
  }

  /** An event, or the same request whose answer was lost, may have been faster. */
  async #unlessRefused(verb: string, payload: object): Promise<boolean> {
    try {
      await this.#office.verb(verb, payload)
      return true
    } catch (cause) {
      if (cause instanceof Refusal) return false
      throw cause
    }
  }

  /** Repeats until nothing is left that can be answered; returns what is left. */
  async finish(): Promise<ReadonlyArray<string>> {
    while ((await this.answer(true)) > 0);
    return (await this.#holds())
      .filter((hold) => this.#answerTo(hold) === undefined)
      .map(({ ipc_id, payment_reference, reason }) => {
        const { kind = "none" } = this.#lives.get(ipc_id) ?? {}
        return `siteledger asks about IPC ${ipc_id} (${kind}), payment ${payment_reference}: ${reason}`
      })
  }

  /** Acts for the IPCs whose last events came in this part of the month. */
  async act(phase: Phase): Promise<void> {
    const isOver = ({ happenings }: Life) => Math.max(...happenings.map((each) => each.phase)) === phase
    await inLanes(people, [...this.#lives.values()].filter(isOver), async (life) => {
      for (const act of life.acts) await this.#do(life, act)
    })
  }

  async #entriesOf({ id }: Life): Promise<ReadonlyArray<Entry>> {
    return rowsIn<Entry>(await this.#office.verb("ledger-list", { ipc: id }))
  }

  async #do(life: Life, act: Act): Promise<void> {
    if (act.verb === "reverse") {
      const kept = new Set(act.what === "accruals" ? [] : life.payments.map(({ reference }) => reference))
      const isOwn = (entry: Entry) =>
        act.what === "accruals" ? entry.payment_reference === life.id : kept.has(entry.payment_reference)
      await this.#takeBack(life, isOwn, false)
      if (act.isUndone === true) await this.#takeBack(life, isOwn, true)
      return
    }
    const { amount, credit, debit, reference } = act
    const has = async () => {
      while ((await this.#confirm(life)) > 0);
      return (await this.#entriesOf(life)).some((entry) => entry.payment_reference === reference)
    }
    const posting = { ipc: life.id, amount: Decimal.text(amount, 2), reference, debit, credit, evidence: "Paper 7" }
    await again(`what is posted for IPC ${life.id}`, async () => {
      if (await has()) return true
      await this.#unlessRefused("ledger-post", { ...posting, by, reason })
      return false
    })
  }

  /** An amount above the limit waits for a second person. */
  async #confirm({ id }: Life): Promise<number> {
    const holds = rowsIn<Hold>(await this.#office.verb("ledger-holds", { ipc: id }))
    const waiting = holds.filter((hold) => hold.reason === "second-person")
    for (const hold of waiting) await this.#decide(hold, { verdict: "accept" })
    return waiting.length
  }

  /** Takes back every one of these entries, or the entries that took them back. */
  async #takeBack(life: Life, isOwn: (entry: Entry) => boolean, isUndoing: boolean): Promise<void> {
    await again(`what is taken back of IPC ${life.id}`, async () => {
      while ((await this.#confirm(life)) > 0);
      const entries = await this.#entriesOf(life)
      const reversals = new Set(entries.filter(({ kind }) => kind === "reversal").map(({ entry_id }) => entry_id))
      const gone = new Set(entries.map(({ reverses }) => reverses))
      const left = entries.filter((entry) => {
        const { entry_id, reverses } = entry
        if (gone.has(entry_id) || !isOwn(entry)) return false
        return isUndoing ? reversals.has(entry_id) && !reversals.has(reverses ?? "") : !reversals.has(entry_id)
      })
      for (const { entry_id: entry } of left) await this.#unlessRefused("ledger-reverse", { entry, by, reason })
      return left.length === 0
    })
  }

  /** Signs off what was certified before the first event. */
  async signOff(file: string): Promise<void> {
    const lines = [...this.#lives.values()].flatMap(({ id, opening }) =>
      opening === undefined ? [] : [`${id},${Decimal.text(opening, 2)},Certificate of ${id}`]
    )
    if (lines.length === 0) return
    writeFileSync(file, `${["ipc,amount,certificate", ...lines].join("\n")}\n`)
    await again("the opening certificates", async () => {
      const { code } = await this.#office.command("ledger", "opening", file, "--by", by, "--yes")
      return code === 0
    })
  }

  async close(month: string): Promise<void> {
    await again(`the closing of ${month}`, async () => {
      await this.#office.command("ledger", "close", month, "--by", by)
      return (await this.#office.ledger()).openFrom !== null
    })
  }
}

const mostAttempts = 25

const again = async (what: string, isDone: () => Promise<boolean>): Promise<void> => {
  for (let attempt = 0; attempt < mostAttempts; attempt++) if (await isDone()) return
  throw new Error(`not within ${mostAttempts} attempts: ${what}`)
}
