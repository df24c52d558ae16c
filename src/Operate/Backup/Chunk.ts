/**
 * A chunk of a backup: a file with consecutive frames of one log. Its path says which frames, so a listing shows what a
 * backup has. Chunks may overlap, because small ones are merged into larger ones. Pure.
 */
import type { LogName } from "../../Stores/Following.ts"

export interface Chunk {
  readonly path: string
  readonly log: LogName
  readonly first: number
  readonly last: number
  /** The size of its frames, as they are in the log. */
  readonly bytes: number
}

const digits = 15

export const chunkOf = (generation: string, log: LogName, first: number, last: number, bytes: number): Chunk => {
  const [from, to] = [first, last].map((number) => String(number).padStart(digits, "0"))
  return { path: `${generation}/${log}/${from}-${to}-${bytes}.chunk`, log, first, last, bytes }
}

/** Undefined if it isn't the path of a chunk of this generation. */
export const read = (generation: string, path: string): Chunk | undefined => {
  const [, log, first, last, bytes] = /^[0-9a-f-]+\/(rows|inbox)\/(\d{15})-(\d{15})-(\d+)\.chunk$/.exec(path) ?? []
  if (log === undefined || !path.startsWith(`${generation}/`)) return undefined
  return { path, log: log as LogName, first: Number(first), last: Number(last), bytes: Number(bytes) }
}

export interface Cover {
  /** The fewest chunks that have the numbers, in order. */
  readonly chunks: ReadonlyArray<Chunk>
  /** Numbers that no chunk has. */
  readonly gaps: ReadonlyArray<Gap>
}

export interface Gap {
  readonly log: LogName
  readonly from: number
  readonly through: number
}

/** Which numbers of a log, from 1 on, the chunks have. */
export const cover = (log: LogName, all: ReadonlyArray<Chunk>, through: number): Cover => {
  const chunks: Array<Chunk> = []
  const gaps: Array<Gap> = []
  const sorted = all.filter((chunk) => chunk.log === log).toSorted((a, b) => a.first - b.first)
  let [reached, place] = [0, 0]
  while (reached < through) {
    let best: Chunk | undefined
    for (; place < sorted.length && sorted[place]!.first <= reached + 1; place++) {
      if (sorted[place]!.last > (best?.last ?? reached)) best = sorted[place]
    }
    if (best === undefined) {
      const end = Math.min(through, (sorted[place]?.first ?? Infinity) - 1)
      gaps.push({ log, from: reached + 1, through: end })
      reached = end
    } else {
      chunks.push(best)
      reached = best.last
    }
  }
  return { chunks, gaps }
}

/** The greatest number in a chunk of this log; 0 if there is none. */
export const lastOf = (log: LogName, all: ReadonlyArray<Chunk>): number =>
  all.reduce((greatest, chunk) => (chunk.log === log ? Math.max(greatest, chunk.last) : greatest), 0)

const smallBytes = 1024 * 1024
const mergedBytes = 8 * smallBytes
const manyChunks = 64

/** Consecutive small chunks, if there are enough to merge. */
export const mergeable = (chunks: ReadonlyArray<Chunk>): ReadonlyArray<Chunk> => {
  let [run, bytes]: [Array<Chunk>, number] = [[], 0]
  for (const chunk of chunks) {
    if (chunk.bytes >= smallBytes) [run, bytes] = [[], 0]
    else {
      run.push(chunk)
      bytes += chunk.bytes
      if (run.length === manyChunks || bytes >= mergedBytes) return run
    }
  }
  return []
}
