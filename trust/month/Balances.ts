/**
 * The balances of the month from several sides, compared to the last digit. A difference names the account, both
 * figures, and the entries behind it.
 */
import * as Decimal from "./Decimal.ts"
import { accounts } from "./Firm.ts"
import type { Line } from "./Expected.ts"
import type { CodeLine, Held } from "./Systems.ts"

/** By company, currency and account code; zero balances may be missing. */
export interface Side {
  readonly name: string
  readonly balances: ReadonlyMap<string, bigint>
}

/** An entry of siteledger's own journal. */
export interface Entry {
  readonly id: string
  readonly ipc: string
  readonly company: string
  readonly currency: string
  readonly lines: ReadonlyArray<CodeLine>
}

export const keyOf = (company: string, currency: string, code: string): string => `${company}, ${currency}, ${code}`

export const codeOf = (account: string): string => accounts[account] ?? account

const added = (lines: Iterable<readonly [key: string, units: bigint]>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const [key, units] of lines) sums.set(key, (sums.get(key) ?? 0n) + units)
  return sums
}

/** The balances of all IPCs. */
export const ofLines = (all: ReadonlyMap<string, ReadonlyArray<Line>>): ReadonlyMap<string, bigint> =>
  added(
    [...all.values()]
      .flat()
      .map(({ account, company, currency, units }) => [keyOf(company, currency, codeOf(account)), units])
  )

const differing = (one: ReadonlyMap<string, bigint>, other: ReadonlyMap<string, bigint>): ReadonlyArray<string> =>
  [...new Set([...one.keys(), ...other.keys()])]
    .toSorted()
    .filter((key) => (one.get(key) ?? 0n) !== (other.get(key) ?? 0n))

const mostNamed = 5

const some = (all: ReadonlyArray<string>): string =>
  all.length === 0
    ? "no single entry"
    : `${all.slice(0, mostNamed).join("; ")}${all.length > mostNamed ? `; and ${all.length - mostNamed} more` : ""}`

/** A sentence for each account that differs. `behind`: the entries that cause the difference there. */
export const compared = (
  one: Side,
  other: Side,
  behind: (key: string) => ReadonlyArray<string>
): ReadonlyArray<string> =>
  differing(one.balances, other.balances).map((key) => {
    const [left, right] = [one, other].map(({ balances }) => Decimal.text(balances.get(key) ?? 0n))
    return `${key}: ${one.name} has ${left}, ${other.name} has ${right}. Behind it: ${some(behind(key))}`
  })

/** The entries whose lines differ between the two sides, in words, for one account. */
export const behindIn = (held: Held, entries: ReadonlyArray<Entry>, code: string): ReadonlyArray<string> => {
  const on = (lines: ReadonlyArray<CodeLine> | undefined): bigint | undefined =>
    lines && Decimal.sum(lines.flatMap((line) => (line.code === code ? [line.units] : [])))
  const written = (units: bigint | undefined) => (units === undefined ? "nothing" : Decimal.text(units))
  const own = new Map(entries.map((entry) => [entry.id, entry]))
  return [...new Set([...own.keys(), ...held.entries.keys()])].flatMap((id) => {
    const [here, there] = [on(own.get(id)?.lines), on(held.entries.get(id))]
    const ipc = own.get(id)?.ipc ?? "none"
    return here === there ? [] : [`entry ${id} of IPC ${ipc} (${written(here)} here, ${written(there)} there)`]
  })
}

/** Every entry whose lines differ, even if the balances agree. */
export const unlike = (held: Held, entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const written = (lines: ReadonlyArray<CodeLine> | undefined): string =>
    (lines ?? [])
      .map(({ code, units }) => `${code} ${Decimal.text(units)}`)
      .toSorted()
      .join(", ")
  const own = new Map(entries.map(({ id, lines }) => [id, written(lines)]))
  return [...new Set([...own.keys(), ...held.entries.keys()])].flatMap((id) => {
    const [here, there] = [own.get(id) ?? "", written(held.entries.get(id))]
    return here === there ? [] : [`entry ${id} is (${here}) here and (${there}) there`]
  })
}

/** IPCs for which the posted lines differ from the history. `kindOf`: the kind of an IPC's life. */
export const misposted = (
  all: ReadonlyMap<string, ReadonlyArray<Line>>,
  entries: ReadonlyArray<Entry>,
  kindOf: (ipc: string) => string
): ReadonlyArray<string> => {
  const posted = Map.groupBy(entries, ({ ipc }) => ipc)
  return [...new Set([...all.keys(), ...posted.keys()])].flatMap((ipc) => {
    const own = posted.get(ipc) ?? []
    const there = added(
      own.flatMap(({ company, currency, lines }) =>
        lines.map(({ code, units }) => [keyOf(company, currency, code), units] as const)
      )
    )
    const sums = ofLines(new Map([[ipc, all.get(ipc) ?? []]]))
    return differing(sums, there).map((key) => {
      const [due, is] = [sums, there].map((side) => Decimal.text(side.get(key) ?? 0n))
      const named = own.map(({ id, lines }) => `${id} ${lines.map(({ units }) => Decimal.text(units)).join(" ")}`)
      return `IPC ${ipc} (${kindOf(ipc)}), ${key}: ${due} is right, ${is} is posted by ${some(named)}`
    })
  })
}
