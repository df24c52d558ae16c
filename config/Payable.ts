/**
 * What is payable of a certified amount, if certificates are before retention or without tax: rules, applied in order.
 * Pure.
 *
 * Each rule is a percentage of the certified amount or of what the earlier rules leave, or a fixed amount; below zero
 * it is held back, above zero it is added. A percentage is rounded to the currency's smallest amount, halves away from
 * zero.
 */

export interface PayableRule {
  /** For people: retention, advance, VAT. */
  readonly name: string
  /** In ten-thousandths of a percent, as text; null for a fixed amount. */
  readonly percent: string | null
  /** A canonical amount; null for a percentage. */
  readonly amount: string | null
  readonly of: "certified" | "payable"
  /** A canonical limit in either direction; null for no limit. */
  readonly cap: string | null
  /** The account to which an accrual posts it; absent if there is none. */
  readonly account?: string
}

export type PayableRules = ReadonlyArray<PayableRule>

const unitsOf = (canonical: string): bigint => BigInt(canonical.replace(".", ""))

const wholePercent = 1_000_000n

/** In ten-thousandths: what is payable is what is certified, minus what is held back, plus what is added. */
export interface Payable {
  readonly certified: bigint
  readonly heldBack: bigint
  readonly added: bigint
  readonly payable: bigint
  /** By rule, with its sign: what it deducts or adds. */
  readonly shares: ReadonlyArray<bigint>
}

/** `unit`: the currency's smallest amount. If nothing is certified, nothing is payable. */
export const payableOf = (certified: bigint, rules: PayableRules, unit: bigint): Payable => {
  let [heldBack, added, payable] = [0n, 0n, certified]
  const shares = rules.map((rule) => {
    const share = certified === 0n ? 0n : shareOf(rule, rule.of === "certified" ? certified : payable, unit)
    if (share < 0n) heldBack -= share
    else added += share
    payable += share
    return share
  })
  return { certified, heldBack, added, payable, shares }
}

/** The difference between the two. */
export const less = (now: Payable, before: Payable): Payable => ({
  certified: now.certified - before.certified,
  heldBack: now.heldBack - before.heldBack,
  added: now.added - before.added,
  payable: now.payable - before.payable,
  shares: now.shares.map((share, index) => share - (before.shares[index] ?? 0n))
})

const shareOf = ({ amount, cap, percent }: PayableRule, base: bigint, unit: bigint): bigint => {
  const share = percent === null ? unitsOf(amount ?? "0") : rounded(base * BigInt(percent), wholePercent * unit) * unit
  const most = cap === null ? undefined : unitsOf(cap)
  if (most === undefined) return share
  return share > most ? most : share < -most ? -most : share
}

/** Halves away from zero. */
const rounded = (dividend: bigint, divisor: bigint): bigint => {
  const half = dividend < 0n ? -divisor / 2n : divisor / 2n
  return (dividend + half) / divisor
}
