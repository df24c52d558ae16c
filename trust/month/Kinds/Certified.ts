/** What can happen to the certificates of an IPC. */
import { north, south } from "../Firm.ts"
import { begun, both, certified, decided, lower, plain, saidBy, type Kinds } from "./Kind.ts"

export const certifiedKinds: Kinds = {
  plain: { weight: 24, of: both, tell: plain },
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
  /** The amount certified before it isn't known. */
  following: {
    weight: 0,
    of: [north],
    tell: (life) => plain(life).answer("previous-amount-unknown", "accept", saidBy(life), true)
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
  unpaid: { weight: 5, of: both, tell: certified },
  vast: {
    weight: 1,
    of: [south],
    tell: (life) => {
      begun(life).certified(life.at(0.3), life.next(999_999_999_999_990_000n + BigInt(life.dice.below(99)) * 100n))
      life.paid(life.at(0.6))
    }
  }
}
