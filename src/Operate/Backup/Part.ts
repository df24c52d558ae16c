/**
 * A part of a backup: a file with consecutive frames of one log. Its path says which, so a listing tells what a backup has.
 * Parts may overlap, because small ones are merged into larger ones. Pure.
 */
import type { LogName } from "../../Stores/Following.ts"

export interface Part {
  readonly path: string
  readonly log: LogName
  readonly first: number
  readonly last: number
  /** Of its frames, as they are in the log. */
  readonly bytes: number
}

const digits = 15

export const partOf = (generation: string, log: LogName, first: number, last: number, bytes: number): Part => {
  const [from, to] = [first, last].map((number) => String(number).padStart(digits, "0"))
  return { path: `${generation}/${log}/${from}-${to}-${bytes}.part`, log, first, last, bytes }
}

/** Undefined: the path is none of a part of this generation. */
export const read = (generation: string, path: string): Part | undefined => {
  const [, log, first, last, bytes] = /^[0-9a-f-]+\/(rows|inbox)\/(\d{15})-(\d{15})-(\d+)\.part$/.exec(path) ?? []
  if (log === undefined || !path.startsWith(`${generation}/`)) return undefined
  return { path, log: log as LogName, first: Number(first), last: Number(last), bytes: Number(bytes) }
}

export interface Cover {
  /** As few parts as have the numbers, in order. */
  readonly parts: ReadonlyArray<Part>
  /** Numbers that none has. */
  readonly gaps: ReadonlyArray<Gap>
}

export interface Gap {
  readonly log: LogName
  readonly from: number
  readonly through: number
}

/** What the parts of a log have of its numbers from 1 on. */
export const cover = (log: LogName, all: ReadonlyArray<Part>, through: number): Cover => {
  const parts: Array<Part> = []
  const gaps: Array<Gap> = []
  const sorted = all.filter((part) => part.log === log).toSorted((a, b) => a.first - b.first)
  let [reached, place] = [0, 0]
  while (reached < through) {
    let best: Part | undefined
    for (; place < sorted.length && sorted[place]!.first <= reached + 1; place++) {
      if (sorted[place]!.last > (best?.last ?? reached)) best = sorted[place]
    }
    if (best === undefined) {
      const end = Math.min(through, (sorted[place]?.first ?? Infinity) - 1)
      gaps.push({ log, from: reached + 1, through: end })
      reached = end
    } else {
      parts.push(best)
      reached = best.last
    }
  }
  return { parts, gaps }
}

/** The greatest number in a part of this log; 0: there is none. */
export const lastOf = (log: LogName, all: ReadonlyArray<Part>): number =>
  all.reduce((greatest, part) => (part.log === log ? Math.max(greatest, part.last) : greatest), 0)

const smallBytes = 1024 * 1024
const mergedBytes = 8 * smallBytes
const manyParts = 64

/** Consecutive small parts that are enough to become one. */
export const mergeable = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  let [run, bytes]: [Array<Part>, number] = [[], 0]
  for (const part of parts) {
    if (part.bytes >= smallBytes) [run, bytes] = [[], 0]
    else {
      run.push(part)
      bytes += part.bytes
      if (run.length === manyParts || bytes >= mergedBytes) return run
    }
  }
  return []
}
