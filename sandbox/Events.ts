/**
 * The simulation's events by number: event k is a pure function of (seed, startAt, speed, anchors, k), its id of
 * (identity, k). Lives are laid
 * out in blocks of a fixed number of events, interleaved but each in its own order. Any event can be recomputed from
 * its number, so a delivery that waits for a retry holds no body.
 *
 * `event_timestamp` is when the event happened, strictly ascending in k (up to a million events per second). It is
 * counted in steps from the last anchor before k. Without `startAt` the simulated clock is the real one: whenever steps
 * happen later than counted (before the first subscription, after a standstill or a restart) an anchor moves the count
 * to the present, and events at the simulation's own speed are never dated ahead. With `startAt` the simulated clock
 * moves only by steps, and an anchor is added only by a restart. An anchor affects only steps that haven't happened
 * yet, and it is on disk before they happen, so no event's timestamp ever changes.
 */
import { DateTime } from "effect"
import * as Identity from "./Identity.ts"
import * as Lifecycles from "./Lifecycles.ts"
import * as Projects from "./Projects.ts"
import * as Seed from "./Seed.ts"
import * as Versions from "./Versions.ts"

/** From this step on, steps are counted from this instant. */
export interface Anchor {
  readonly step: number
  /** Milliseconds since 1970. */
  readonly atMillis: number
}

export type Anchors = readonly [Anchor, ...ReadonlyArray<Anchor>]

export interface EventsOptions {
  readonly seed: number
  /** The service's identity, from which the events get their ids. */
  readonly identity: string
  /** Milliseconds since 1970. */
  readonly startAtMillis: number
  readonly microsPerStep: number
  /** IPC lives in one block. */
  readonly ipcs: number
  /** How many projects the lives belong to: those that exist at step 0. */
  readonly projects: number
  /** Default: false. */
  readonly largeAmounts?: boolean | undefined
  /** Ascending, in step and time. Default: step 0 at the start. */
  readonly anchors?: Anchors | undefined
}

export interface Events {
  readonly blockLength: number
  /**
   * How many ids of a kind each block has; they are numbered from 1 across blocks. All of them are used, except those
   * of transmittals, which fill the rest of a block.
   */
  readonly numbersPerBlock: Readonly<Record<Lifecycles.Entity, number>>
  /** How many transmittals a block has. One number is remembered for each block ever made. */
  readonly transmittalsIn: (block: number) => number
  readonly block: (number: number) => ReadonlyArray<Lifecycles.Occurrence>
  readonly at: (step: number) => Lifecycles.Occurrence
  readonly id: (step: number) => string
  /** ISO 8601 with microseconds. */
  readonly timestamp: (step: number) => string
  /** The same timestamp in milliseconds since 1970, rounded down. */
  readonly millis: (step: number) => number
  readonly body: (step: number, version?: Versions.Version) => string
  /** Milliseconds since 1970, counted from the anchors: never later than the event's timestamp. */
  readonly counted: (step: number) => number
  /** Adds the next anchor. */
  readonly anchor: (anchor: Anchor) => void
  /** Ascending, in step and time. */
  readonly anchors: () => Anchors
}

/** Lives per block. Transmittals fill the rest. */
const livesOf = (ipcs: number) => ({
  ipcs,
  vos: Math.ceil(ipcs / 3),
  ncrs: Math.ceil(ipcs / 3),
  hse_incidents: Math.ceil(ipcs / 8),
  permits: Math.ceil(ipcs / 4)
})

/** `longest`: the most events that a life can have. */
const kinds = [
  { entity: "ipcs", make: Lifecycles.ipc, longest: 5 },
  { entity: "vos", make: Lifecycles.vo, longest: 4 },
  { entity: "ncrs", make: Lifecycles.ncr, longest: 2 },
  { entity: "hse_incidents", make: Lifecycles.hseIncident, longest: 1 },
  { entity: "permits", make: Lifecycles.permit, longest: 3 }
] as const

const lengthOf = (ipcs: number): number => {
  const lives = livesOf(ipcs)
  return kinds.reduce((sum, { entity, longest }) => sum + lives[entity] * longest, 2)
}

const isoDay = (millis: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(millis))

const makeBlock = (options: EventsOptions, length: number, number: number): ReadonlyArray<Lifecycles.Occurrence> => {
  const dice = Seed.dice(options.seed, Seed.Purpose.lifecycle, number)
  const year = isoDay(options.startAtMillis).slice(0, 4)
  const circumstances = (ordinal: number, lives: number): Lifecycles.Circumstances => ({
    dice,
    number: `${year}-${String(number * lives + ordinal + 1).padStart(6, "0")}`,
    projectId: Projects.idOf(dice.below(Math.max(1, options.projects))),
    complete: ordinal === 0,
    largeAmounts: options.largeAmounts ?? false,
    day: (offset) => isoDay(options.startAtMillis + offset * 86_400_000)
  })
  const placed: Array<{ readonly place: number; readonly occurrence: Lifecycles.Occurrence }> = []
  const place = (life: Lifecycles.Life) => {
    const places = life.map(() => dice.next()).toSorted((a, b) => a - b)
    life.forEach((occurrence, stage) => placed.push({ place: places[stage] ?? 0, occurrence }))
  }
  const lives = livesOf(options.ipcs)
  for (const { entity, make } of kinds) {
    for (let ordinal = 0; ordinal < lives[entity]; ordinal++) place(make(circumstances(ordinal, lives[entity])))
  }
  for (let ordinal = 0; placed.length < length; ordinal++) {
    place(Lifecycles.transmittal(circumstances(ordinal, length)))
  }
  // The sort is stable: two stages of one life at the same place stay in order.
  return placed.toSorted((a, b) => a.place - b.place).map(({ occurrence }) => occurrence)
}

/** A transmittal has exactly one event. */
const isTransmittal = ({ entity }: Lifecycles.Occurrence): boolean => entity === "transmittals"

const cachedBlocks = 16

export const make = (options: EventsOptions): Events => {
  const blockLength = lengthOf(options.ipcs)
  const blocks = new Map<number, ReadonlyArray<Lifecycles.Occurrence>>()
  const transmittals = new Map<number, number>()
  const block = (number: number) => {
    const known = blocks.get(number)
    if (known !== undefined) return known
    const made = makeBlock(options, blockLength, number)
    blocks.set(number, made)
    if (!transmittals.has(number)) transmittals.set(number, made.filter(isTransmittal).length)
    const oldest = blocks.keys().next()
    if (blocks.size > cachedBlocks && oldest.done !== true) blocks.delete(oldest.value)
    return made
  }
  const at = (step: number): Lifecycles.Occurrence => {
    const occurrence = block(Math.floor(step / blockLength))[step % blockLength]
    if (occurrence === undefined) throw new Error(`no event ${step}: steps are whole numbers from 0`)
    return occurrence
  }
  let anchors: Anchors = options.anchors ?? [{ step: 0, atMillis: options.startAtMillis }]
  const counted = (step: number) => {
    const { atMillis, step: first } = anchors.findLast((anchor) => anchor.step <= step) ?? anchors[0]
    return atMillis + ((step - first) * options.microsPerStep) / 1000
  }
  const time = (step: number) => {
    const anchor = anchors.findLast((anchor) => anchor.step <= step) ?? anchors[0]
    const jitter = Seed.share(options.seed, Seed.Purpose.jitter, step)
    const micros = Math.floor((step - anchor.step) * options.microsPerStep) + Math.floor(jitter * options.microsPerStep)
    return { millis: anchor.atMillis + Math.floor(micros / 1000), micros: micros % 1000 }
  }
  const timestamp = (step: number) => {
    const { micros, millis } = time(step)
    const iso = DateTime.formatIso(DateTime.makeUnsafe(millis))
    return `${iso.slice(0, -1)}${String(micros).padStart(3, "0")}Z`
  }
  return {
    blockLength,
    numbersPerBlock: { ...livesOf(options.ipcs), transmittals: blockLength },
    transmittalsIn: (number) => transmittals.get(number) ?? block(number).filter(isTransmittal).length,
    block,
    at,
    id: (step) => Identity.uuid(options.identity, "event", step),
    timestamp,
    counted,
    anchor: (anchor) => {
      // An anchor from which no step has been counted yet is replaced.
      const [first = anchor, ...others] = [...anchors.filter(({ step }) => step < anchor.step), anchor]
      anchors = [first, ...others]
    },
    anchors: () => anchors,
    millis: (step) => time(step).millis,
    body: (step, version = Versions.v1) => {
      const { contents, entity, type } = at(step)
      return Versions.envelope(version, type, timestamp(step), Versions.members(version, entity, contents))
    }
  }
}
