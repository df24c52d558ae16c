/**
 * What can happen to its payments.
 */
import { both, certified, decided, inParts, plain, saidBy, type Kinds } from "./Kind.ts"

export const paidKinds: Kinds = {
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
  }
}
