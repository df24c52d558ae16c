/**
 * Deliveries that are stored together, as frames with their numbers. A known body becomes a repeated delivery; a new
 * body under a known id is marked. The group isn't stored yet.
 */
import type { KeyObject } from "node:crypto"
import { encode, encodeFirst, type Frame, type Labels, numberAfter } from "./Frame.ts"
import { idKey, type Index } from "./Known.ts"
import { keysOf } from "./Learn.ts"

/** A verified delivery. */
export interface Arrived {
  readonly bodyKey: Buffer
  readonly idKey: Buffer
  /** As JSON, because most of them are stored unchanged. */
  readonly labels: string
  readonly body: Uint8Array
}

export interface Group {
  readonly encoded: ReadonlyArray<Buffer>
  /** For each frame: the keys that are known from now on. */
  readonly keys: ReadonlyArray<ReadonlyArray<Buffer>>
  /** The number after the last frame. */
  readonly next: number
}

interface Place<Known> {
  /** The number of the next frame. */
  readonly next: number
  readonly known: Known
  readonly key: KeyObject
}

export const numbered = (batch: ReadonlyArray<Arrived>, { key, known, next }: Place<Pick<Index, "get">>): Group => {
  const encoded: Array<Buffer> = []
  const keys: Array<ReadonlyArray<Buffer>> = []
  const seen = new Map<string, number>()
  const find = (sought: Buffer): number | undefined => seen.get(sought.toString("latin1")) ?? known.get(sought)
  for (const arrived of batch) {
    const number = next + encoded.length
    const of = find(arrived.bodyKey)
    const isReused = of === undefined && find(arrived.idKey) !== undefined
    const fresh = of !== undefined ? [] : isReused ? [arrived.bodyKey] : [arrived.bodyKey, arrived.idKey]
    for (const each of fresh) seen.set(each.toString("latin1"), number)
    encoded.push(frameOf(arrived, { number, of, isReused }, key))
    keys.push(fresh)
  }
  return { encoded, keys, next: next + encoded.length }
}

interface Numbered {
  readonly number: number
  /** The number of the body's first delivery, which has its headers. */
  readonly of: number | undefined
  readonly isReused: boolean
}

const frameOf = ({ body, labels }: Arrived, { isReused, number, of }: Numbered, key: KeyObject): Buffer => {
  if (of === undefined && !isReused) return encodeFirst(number, labels, body, key)
  const said = JSON.parse(labels) as Labels
  return of === undefined
    ? encode({ kind: "first", number, body, labels: { ...said, isReused } }, key)
    : encode({ kind: "again", number, of, labels: { ...said, headers: [] } }, key)
}

export type Placed = Pick<Group, "encoded" | "next">

/**
 * Frames that already have numbers, in order. Numbers between them stay unused; frames before the next number are left
 * out. Their keys are known from now on.
 */
export const placed = (frames: ReadonlyArray<Frame>, { key, known, next }: Place<Index>): Placed => {
  const all: Array<Frame> = []
  let after = next
  for (const frame of frames) {
    if (frame.number < after) continue
    if (frame.number > after) all.push({ kind: "hole", number: after, through: frame.number - 1, why: "unused" })
    all.push(frame)
    after = numberAfter(frame)
  }
  return { encoded: all.map((frame) => encode(marked(frame, known), key)), next: after }
}

/** Marks whether an earlier body had the same event id; its own id is known from now on. */
const marked = (frame: Frame, known: Index): Frame => {
  const isReused = frame.kind === "first" && known.get(idKey(frame.labels.eventId)) !== undefined
  known.add(keysOf(frame), numberAfter(frame) - 1)
  return isReused ? { ...frame, labels: { ...frame.labels, isReused } } : frame
}
