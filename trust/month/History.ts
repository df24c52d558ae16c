/**
 * A month of the firm: its projects, and the lives of their IPCs.
 */
import type { Dice } from "../../sandbox/Seed.ts"
import { shuffled } from "../Goal.ts"
import { type Calendar, type Company, north, type Site, south } from "./Firm.ts"
import { kinds } from "./Kinds.ts"
import { Life, type Plot, type Slot } from "./Life.ts"

export interface History {
  readonly sites: ReadonlyArray<Site>
  readonly lives: ReadonlyArray<Life>
}

export interface Making {
  readonly dice: Dice
  readonly calendar: Calendar
}

/** Shares of all IPCs. */
const shares = { north: 0.45, dollars: 0.3 }
const mostInSite = { north: 25, south: 50 }
const dayMs = 86_400_000

/** For every third project, no one says what was certified before; for every third, nothing was. */
const beforeOf = (dice: Dice, number: number): bigint | undefined =>
  [0n, BigInt(dice.below(1e8)) * 100n, undefined][number % 3]

const plotsOf = (dice: Dice, company: Company, currency: string, sites: number): ReadonlyArray<Plot> =>
  Array.from({ length: Math.max(1, Math.ceil(sites)) }, (_, number) => {
    const before = company.isCumulative ? beforeOf(dice, number) : 0n
    const id = `${company.digit}${currency === "EUR" ? 1 : 9}${String(number).padStart(3, "0")}`
    return { site: { id, company, currency, before }, total: before ?? 0n, times: new Set() }
  })

/** Each kind that fits occurs once, the rest by chance. */
const deck = (dice: Dice, company: Company, size: number): ReadonlyArray<string> => {
  const fitting = Object.entries(kinds).filter(([, { of, weight }]) => weight > 0 && of.includes(company))
  const all = fitting.flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name))
  const once = shuffled(dice, fitting).map(([name]) => name)
  const more = Array.from({ length: Math.max(0, size - once.length) }, () => all[dice.below(all.length)] ?? "plain")
  return shuffled(dice, [...once, ...more].slice(0, size))
}

interface Place {
  readonly plot: Plot
  readonly slot: Slot
  readonly isFirst: boolean
}

/** One IPC after the other in a project, because their certificates are cumulative. */
const inRows = (plots: ReadonlyArray<Plot>, size: number, { calendar }: Making): ReadonlyArray<Place> => {
  const most = Math.ceil(size / plots.length)
  const length = (calendar.to - calendar.from) / most
  return Array.from({ length: size }, (_, index) => ({
    plot: plots[Math.floor(index / most)] as Plot,
    slot: { from: calendar.from + (index % most) * length, length },
    isFirst: index % most === 0
  }))
}

/** IPCs that don't depend on each other. */
const anywhere = (plots: ReadonlyArray<Plot>, size: number, { calendar, dice }: Making): ReadonlyArray<Place> =>
  Array.from({ length: size }, (_, index) => {
    const length = (2 + dice.below(5)) * dayMs
    const from = calendar.from + dice.below(calendar.to - calendar.from - length)
    return { plot: plots[index % plots.length] as Plot, slot: { from, length }, isFirst: false }
  })

/** The kind of an IPC, where the IPC before it (or its absence) rules the dealt one out. */
const nameOf = (dealt: string, { isFirst, plot }: Place, before: string): string => {
  if (!plot.site.company.isCumulative) return dealt
  if (isFirst) return plot.site.before === undefined ? "following" : "plain"
  return before === "ambiguous" ? "following" : dealt
}

interface Elsewhere {
  readonly sisters: ReadonlyArray<Plot>
  readonly abroad: ReadonlyArray<Plot>
}

const told = (places: ReadonlyArray<Place>, { abroad, sisters }: Elsewhere, { calendar, dice }: Making) => {
  const lives: Array<Life> = []
  const some = (plots: ReadonlyArray<Plot>): Site => (plots[dice.below(plots.length)] as Plot).site
  const names = deck(dice, (places[0] as Place).plot.site.company, places.length)
  for (const [index, place] of places.entries()) {
    const name = nameOf(names[index] ?? "plain", place, lives.at(-1)?.kind ?? "")
    const { plot, slot } = place
    const id = plot.site.company.isCumulative ? `IPC-${plot.site.id}-${index}` : `${plot.site.id}${index}`
    const life = new Life(id, name, plot, slot, dice, calendar)
    const kind = kinds[name]?.isLate === true && !life.isInClosedMonth ? kinds["plain"] : kinds[name]
    kind?.tell(life, { sister: some(sisters), abroad: some(abroad) })
    lives.push(life)
  }
  return lives
}

export const make = (ipcs: number, making: Making): History => {
  const { dice } = making
  const [dollars, inNorth] = [Math.floor(ipcs * shares.dollars), Math.floor(ipcs * shares.north)]
  const euros = ipcs - dollars - inNorth
  const plots = {
    north: plotsOf(dice, north, "EUR", inNorth / mostInSite.north),
    euros: plotsOf(dice, south, "EUR", euros / mostInSite.south),
    dollars: plotsOf(dice, south, "USD", dollars / mostInSite.south)
  }
  const lives = [
    ...told(inRows(plots.north, inNorth, making), { sisters: plots.north, abroad: plots.euros }, making),
    ...told(anywhere(plots.euros, euros, making), { sisters: plots.dollars, abroad: plots.north }, making),
    ...told(anywhere(plots.dollars, dollars, making), { sisters: plots.euros, abroad: plots.north }, making)
  ]
  return { sites: Object.values(plots).flatMap((all) => all.map(({ site }) => site)), lives }
}
