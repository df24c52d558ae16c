/**
 * What people move, take back or add, and events after the month is closed.
 */
import { north, south } from "../Firm.ts"
import { begun, both, certified, inParts, late, plain, saidBy, type Kinds } from "./Kind.ts"

export const peopleKinds: Kinds = {
  moved: {
    weight: 3,
    of: [south],
    tell: (life, { sister }) => {
      if (life.dice.chance(0.5)) plain(life)
      else inParts(certified(life), 35, 40)
      life.begins(0.8, sister)
      life.answer("project-changed", "accept")
    }
  },
  crossed: {
    weight: 2,
    of: both,
    tell: (life, { abroad }) => {
      life.step = life.some()
      life.opening = life.step
      inParts(begun(life), 35, 40)
      life.begins(0.8, abroad)
      life.answer("project-changed", "accept")
    }
  },
  bounced: { weight: 3, of: both, tell: (life) => plain(life).acts.push({ verb: "reverse", what: "payments" }) },
  undone: {
    weight: 2,
    of: both,
    tell: (life) => plain(life).acts.push({ verb: "reverse", what: "payments", isUndone: true })
  },
  unaccrued: { weight: 2, of: [south], tell: (life) => plain(life).acts.push({ verb: "reverse", what: "accruals" }) },
  repaid: {
    weight: 2,
    of: both,
    tell: (life) => {
      const post = { verb: "post", debit: "bank", credit: "receivable" } as const
      plain(life).acts.push(
        { verb: "reverse", what: "payments" },
        { ...post, reference: `CASH-${life.id}`, amount: saidBy(life) }
      )
    }
  },
  charged: {
    weight: 3,
    of: both,
    tell: (life) => {
      const post = { verb: "post", debit: "charges", credit: "bank" } as const
      plain(life).acts.push({ ...post, reference: `FEE-${life.id}`, amount: BigInt(1 + life.dice.below(9999)) * 100n })
    }
  },
  released: {
    weight: 3,
    of: [north],
    tell: (life) => {
      const post = { verb: "post", debit: "receivable", credit: "retention" } as const
      plain(life).acts.push({ ...post, reference: `RET-${life.id}`, amount: life.part(5) })
    }
  },
  latePaid: {
    weight: 4,
    of: both,
    isLate: true,
    tell: (life) => {
      certified(life).paid(life.at(0.6), { isLate: true, ...(life.dice.chance(0.5) ? {} : { said: life.part(45) }) })
      late(life)
    }
  },
  lateCorrection: {
    weight: 4,
    of: both,
    isLate: true,
    tell: (life) => {
      const amount = life.next()
      begun(life).certified(life.at(0.3), amount)
      life.certified(life.at(0.45), amount + life.correction(), { isLate: true })
      life.paid(life.at(0.6))
      late(life)
    }
  },
  lateCertificate: {
    weight: 3,
    of: both,
    isLate: true,
    tell: (life) => {
      begun(life).certified(life.at(0.3), life.next(), { isLate: true })
      life.paid(life.at(0.6))
      if (life.dice.chance(0.5)) life.answer("awaiting-certified-amount", "accept", saidBy(life))
      late(life)
    }
  }
}
