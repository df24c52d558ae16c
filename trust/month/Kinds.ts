/**
 * What can happen to an IPC in a month: how often, in which company, and what people say about it.
 */
import { north, south, type Company, type Site } from "./Firm.ts"
import type { Life } from "./Life.ts"

export interface Kind {
  /** Against the others. */
  readonly weight: number
  readonly of: ReadonlyArray<Company>
  /** It needs a slot in the month that is closed. */
  readonly isLate?: true
  readonly tell: (life: Life, others: Others) => void
}

export interface Others {
  /** Another project of the company, in another currency where there is one. */
  readonly sister: Site
  /** A project of the other company. */
  readonly abroad: Site
}

const both = [north, south]

const begun = (life: Life): Life => {
  life.begins()
  return life
}

const plain = (life: Life): Life => {
  begun(life).certified(life.at(0.3), life.next())
  life.paid(life.at(0.6))
  return life
}

const certified = (life: Life): Life => {
  begun(life).certified(life.at(0.3), life.next())
  return life
}

/** What it is worth that a person says, which has nothing to do with what is certified. */
const saidBy = (life: Life): bigint => life.part(20 + life.dice.below(60)) + 700n

const decided = (life: Life): "accept" | "reject" => (life.dice.chance(0.5) ? "accept" : "reject")

const late = (life: Life): void => {
  life.late = decided(life)
}

/** Less than all that is certified already, by more than corrections can change. */
const lower = (life: Life): bigint => {
  life.step = life.some()
  return life.plot.total - 50_000_000n
}

const inParts = (life: Life, ...percents: ReadonlyArray<number>): void => {
  for (const [index, percent] of percents.entries()) {
    life.paid(life.at(0.5 + index / 6), { reference: `PAY-${life.id}-${index + 1}`, said: life.part(percent) })
  }
}

export const kinds: Readonly<Record<string, Kind>> = {
  plain: { weight: 24, of: both, tell: plain },
  parts: { weight: 14, of: both, tell: (life) => inParts(certified(life), 35, 25, 30) },
  overpaid: {
    weight: 4,
    of: both,
    tell: (life) => {
      inParts(certified(life), 90, 90)
      life.answer("over-payment", "accept")
    }
  },
  misdirected: {
    weight: 3,
    of: both,
    tell: (life) => {
      inParts(certified(life), 50, 250)
      life.answer(`over-payment PAY-${life.id}-2`, "reject")
    }
  },
  corrected: {
    weight: 8,
    of: both,
    tell: (life) => {
      const amount = life.next()
      begun(life).certified(life.at(0.3), amount)
      life.certified(life.at(0.45), amount + life.correction())
      life.paid(life.at(0.6))
    }
  },
  recertified: {
    weight: 8,
    of: both,
    tell: (life) => {
      const amount = life.next()
      begun(life).certified(life.at(0.3), amount)
      life.paid(life.at(0.6))
      life.certified(life.at(0.7 + life.dice.below(90) / 100), amount + life.correction())
      const verdict = decided(life)
      life.answer("recertified-after-payment", verdict, verdict === "accept" ? life.correction() : undefined)
    }
  },
  credited: {
    weight: 3,
    of: [south],
    tell: (life) => {
      plain(life).certified(life.at(0.9), life.part(40))
      life.answer("recertified-after-payment", "accept", -life.part(50))
    }
  },
  voided: {
    weight: 2,
    of: [south],
    tell: (life) => {
      plain(life).certified(life.at(0.45), life.dice.chance(0.5) ? 0n : -life.step)
      life.answer("amount-not-positive", "accept", saidBy(life))
    }
  },
  disregarded: {
    weight: 2,
    of: [south],
    tell: (life) => {
      plain(life).certified(life.at(0.45), life.dice.chance(0.5) ? 0n : -life.step, { isDisregarded: true })
      life.answer("amount-not-positive", "reject", undefined, true)
    }
  },
  fallen: {
    weight: 3,
    of: [north],
    tell: (life) => {
      begun(life).certified(life.at(0.3), lower(life))
      life.paid(life.at(0.6))
      life.answer("amount-not-positive", "accept", saidBy(life))
    }
  },
  forgotten: {
    weight: 2,
    of: [north],
    tell: (life) => {
      begun(life).certified(life.at(0.3), lower(life), { isDisregarded: true })
      life.paid(life.at(0.6))
      life.answer("amount-not-positive", "reject", undefined, true)
      life.answer("awaiting-certified-amount", "accept", saidBy(life), true)
    }
  },
  ambiguous: {
    weight: 3,
    of: both,
    tell: (life) => {
      const [amount, at] = [life.next(), life.at(0.3)]
      begun(life).certified(at, amount)
      life.certified(at, amount + life.correction())
      life.paid(life.at(0.6))
      life.answer("ambiguous-order", "accept", saidBy(life))
    }
  },
  precise: {
    weight: 2,
    of: [south],
    tell: (life) => {
      begun(life).certified(life.at(0.3), life.next() + 50n)
      life.paid(life.at(0.6))
      life.answer("amount-too-precise", "accept", saidBy(life))
    }
  },
  uncertified: {
    weight: 4,
    of: both,
    tell: (life) => {
      life.step = life.some()
      begun(life).paid(life.at(0.6))
      life.answer("awaiting-certified-amount", "accept", saidBy(life), life.dice.chance(0.5))
    }
  },
  opening: {
    weight: 4,
    of: both,
    tell: (life) => {
      life.step = life.some()
      life.opening = life.step
      begun(life).paid(life.at(0.6), life.dice.chance(0.5) ? {} : { said: life.part(70) })
    }
  },
  replaced: {
    weight: 2,
    of: [south],
    tell: (life) => {
      plain(life)
      life.opening = life.some()
    }
  },
  twice: {
    weight: 4,
    of: both,
    tell: (life) => {
      plain(life).paid(life.at(0.7), { reference: `AGAIN-${life.id}` })
      const verdict = decided(life)
      life.answer("second-payment-reference", verdict, verdict === "accept" ? saidBy(life) : undefined)
    }
  },
  mixed: {
    weight: 3,
    of: both,
    tell: (life) => {
      const first = certified(life).paid(life.at(0.6))
      life.paid(life.at(0.7), { reference: `MORE-${life.id}`, said: life.part(10), after: [first] })
      life.answer("second-payment-reference", "accept", saidBy(life))
    }
  },
  unclear: {
    weight: 3,
    of: both,
    tell: (life) => {
      certified(life).paid(life.at(0.6), { said: life.part(30) })
      life.paid(life.at(0.65), { said: life.part(31) })
      life.answer("paid-amount-unclear", "accept", saidBy(life))
    }
  },
  senseless: {
    weight: 2,
    of: both,
    tell: (life) => {
      certified(life).paid(life.at(0.6), { said: life.dice.pick([0n, -life.step, life.part(30) + 50n]) })
      life.answer("paid-amount-unclear", "accept", life.dice.chance(0.3) ? 0n : saidBy(life))
    }
  },
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
  bounced: { weight: 3, of: both, tell: (life) => plain(life).acts.push({ verb: "reverse" }) },
  undone: { weight: 2, of: both, tell: (life) => plain(life).acts.push({ verb: "reverse", isUndone: true }) },
  repaid: {
    weight: 2,
    of: both,
    tell: (life) => {
      const post = { verb: "post", debit: "bank", credit: "receivable" } as const
      plain(life).acts.push({ verb: "reverse" }, { ...post, reference: `CASH-${life.id}`, amount: saidBy(life) })
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
      const post = { verb: "post", debit: "bank", credit: "retention" } as const
      plain(life).acts.push({ ...post, reference: `RET-${life.id}`, amount: life.part(5) })
    }
  },
  /** It isn't known what was certified before it. */
  following: {
    weight: 0,
    of: [north],
    tell: (life) => plain(life).answer("previous-amount-unknown", "accept", saidBy(life), true)
  },
  unpaid: { weight: 5, of: both, tell: certified },
  vast: {
    weight: 1,
    of: [south],
    tell: (life) => {
      begun(life).certified(life.at(0.3), life.next(999_999_999_999_990_000n + BigInt(life.dice.below(99)) * 100n))
      life.paid(life.at(0.6))
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
