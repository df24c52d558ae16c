/**
 * Amounts as files show them: exact, with a decimal point and the decimals of their currency. An amount with more
 * decimals (from the first version of the rules) keeps all of them; without a currency there are four. Pure.
 */
import { minorDigits } from "../../../config/Currency.ts"
import * as Amount from "../../Domain/Amount.ts"

const mostDecimals = Amount.Money.scale

export const decimalsOf = (currency: string | null): number =>
  currency === null ? mostDecimals : (minorDigits[currency] ?? 2)

/** At least as many as the currency has. */
export const decimalsFor = (units: bigint, currency: string | null): number => {
  let decimals = decimalsOf(currency)
  while (units % 10n ** BigInt(mostDecimals - decimals) !== 0n) decimals++
  return decimals
}

export const figure = (units: bigint, currency: string | null): string => {
  const cut = mostDecimals - decimalsFor(units, currency)
  const text = Amount.sumOfUnits(units)
  return text.slice(0, text.length - (cut === mostDecimals ? cut + 1 : cut))
}
