/**
 * A made-up project as the service lists it: twelve fields, nine of which the interface document doesn't name, and an
 * amount with two decimals, so that every second one ends with a zero.
 */
const cities = ["Lagos", "Porto", "Gdańsk", "Leeds", "Kraków", "Izmir", "Dakar"] as const
const countries = ["NG", "PT", "PL", "GB", "PL", "TR", "SN"] as const

export const record = (id: number) => ({
  id,
  name: `Project number ${id}`,
  status: id % 3 === 0 ? "awarded" : "in-progress",
  code: `P-${String(id).padStart(7, "0")}`,
  client: `Client ${id % 997} & Partners`,
  city: cities[id % cities.length],
  country: countries[id % countries.length],
  starts_on: `2026-0${1 + (id % 9)}-15`,
  ends_on: `2029-0${1 + (id % 9)}-30`,
  contract_amount: id * 1000 + (id % 2 === 0 ? 0.5 : 0.25),
  currency: "EUR",
  progress: id % 101
})

/** Its text on the wire. */
export const recordText = (id: number): string => {
  const { contract_amount: amount, ...others } = record(id)
  return `${JSON.stringify(others).slice(0, -1)},"contract_amount":${amount.toFixed(2)}}`
}
