/**
 * The rooms of the house, from the top down. A room imports from those below it only, so this list is the whole order in
 * which the project can be read and changed.
 */
import { imports, sources } from "./Sources.ts"

export const rooms = [
  "cli",
  "dashboard",
  "trust",
  "bench",
  "pipelines",
  "sandbox",
  "connectors",
  "src/Operate",
  "src/Lake",
  "src/Intake",
  "src/Ledger",
  "src/Walk",
  "src/Query",
  "src/Discovery",
  "src/Stores",
  "src/Runtime",
  "src/Domain",
  "config"
] as const

export type Room = (typeof rooms)[number]

/** Undefined for tests and for what lies at the top. */
export const roomOf = (path: string): Room | undefined => rooms.find((room) => path.startsWith(`${room}/`))

export const inRooms: ReadonlyArray<string> = sources.filter((path) => roomOf(path) !== undefined)

/** From file to file, within rooms. */
const edges: ReadonlyArray<readonly [from: string, to: string]> = inRooms.flatMap((from) =>
  imports(from)
    .filter((to) => /\.tsx?$/.test(to) && roomOf(to) !== undefined && to !== from)
    .map((to) => [from, to] as const)
)

const depth = (path: string): number => rooms.indexOf(roomOf(path) ?? "config")

/** Imports from a room above. */
export const upward: ReadonlyArray<string> = edges
  .filter(([from, to]) => depth(from) > depth(to))
  .map(([from, to]) => `${from} imports ${to}`)

/** Pairs of rooms of which one imports from the other. */
export const arrows: ReadonlySet<string> = new Set(
  edges.filter(([from, to]) => depth(from) !== depth(to)).map(([from, to]) => `${roomOf(from)} → ${roomOf(to)}`)
)

/** How many rooms the longest way down passes. */
export const floors = (): number => {
  const heights = new Map<string, number>()
  for (const room of rooms.toReversed()) {
    const below = rooms.filter((other) => arrows.has(`${room} → ${other}`)).map((other) => heights.get(other) ?? 0)
    heights.set(room, 1 + Math.max(0, ...below))
  }
  return Math.max(...heights.values())
}

/** A circle of files that import each other, in their order; undefined where there is none. */
export const circle = (): ReadonlyArray<string> | undefined => {
  const targets = Map.groupBy(edges, ([from]) => from)
  const done = new Set<string>()
  const follow = (path: string, way: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const [, to] of targets.get(path) ?? []) {
      const found = follow(to, [...way, path])
      if (found !== undefined) return found
    }
    done.add(path)
    return undefined
  }
  for (const path of inRooms) {
    const found = follow(path, [])
    if (found !== undefined) return found
  }
  return undefined
}
