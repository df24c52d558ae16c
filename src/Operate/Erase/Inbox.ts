/**
 * Erases from the bodies and headers in the segments of an inbox that isn't in use. A segment that loses something is
 * rewritten as a whole, with the same numbers in the same order, and so is its copy. Each body keeps the hash of the
 * original. Nothing is kept of the old files.
 */
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Erasure from "../../Domain/Erasure.ts"
import { type First, type Frame, sha256Of } from "../../Stores/Segments/Frame.ts"
import { keyOf } from "../../Stores/Segments/Key.ts"
import { copyAgain, replace } from "../../Stores/Segments/Replace.ts"
import { framesIn, listed, nameOf } from "../../Stores/Segments/Segment.ts"
import { besideIn, Writer } from "../../Stores/Segments/Writer.ts"
import type { Seek } from "./Seek.ts"

/** As much as any worker accepts. */
export const mostBytes = 64 * 1024 * 1024

export interface Without {
  readonly redact: Erasure.Redactor
  /** How bodies are read. */
  readonly read: Erasure.Read
}

/** A body that loses something. */
export interface Lost {
  /** Null if the number belongs not to this inbox but to an earlier one. */
  readonly sequence: number | null
  /** The hash of the original body. */
  readonly sha256: string
}

export const withoutIn = (frame: Frame, { read, redact }: Without): Frame => {
  if (frame.kind !== "first" && frame.kind !== "again") return frame
  const headers = Erasure.redactPairs(frame.labels.headers, redact)
  const isSame = headers.every((text, place) => text === frame.labels.headers[place])
  const labels = isSame ? frame.labels : { ...frame.labels, headers }
  if (frame.kind === "again") return isSame ? frame : { ...frame, labels }
  const body = Erasure.redactBody(frame.body, mostBytes, redact, read)
  if (body === undefined) return isSame ? frame : { ...frame, labels }
  return { ...frame, body, labels: { ...labels, erased: sha256Of(frame).toString("hex") } }
}

export const lostIn = (before: Frame, after: Frame): ReadonlyArray<Lost> =>
  before.kind === "first" && after.kind === "first" && before.body !== after.body
    ? [{ sequence: before.number, sha256: sha256Of(before as First).toString("hex") }]
    : []

/** Counts of deliveries. */
export interface InboxFound {
  readonly losing: number
  /** Where it stays: in a field that says what the delivery is about, or in a delivery that can't be read. */
  readonly keeping: number
}

/** Counts bodies that would lose something, each once, wherever it is stored; nothing is changed. */
export const tally = (seek: Seek, read: Erasure.Read) => {
  const [losing, keeping] = [new Set<string>(), new Set<string>()]
  const add = (frame: Frame): void => {
    if (frame.kind !== "first") return
    const text = Erasure.textOf(frame.body, mostBytes)
    if (text === undefined || !seek.mayBeIn(text)) return
    const sha256 = sha256Of(frame).toString("hex")
    const left = Erasure.redactText(text, seek, read)
    if (left !== undefined) losing.add(sha256)
    if (seek.stays(left ?? text, read)) keeping.add(sha256)
  }
  return { add, found: (): InboxFound => ({ losing: losing.size, keeping: keeping.size }) }
}

/** All frames, unchanged. */
export function* frames(folder: string): Generator<Frame> {
  for (const first of existsSync(folder) ? listed(folder) : []) {
    yield* framesIn(readFileSync(join(folder, nameOf(first))))
  }
}

/** Where deliveries are that have left the segments. */
export type Beside = NonNullable<ConstructorParameters<typeof Writer>[2]>

/** `note`: is told what a segment loses before it does. */
export const erase = (
  folder: string,
  beside: Beside,
  without: Without,
  note: (lost: ReadonlyArray<Lost>) => void
): void => {
  if (!existsSync(folder)) return
  const key = keyOf(folder, randomBytes(32))
  mend(folder, key, beside)
  const folders = { main: folder, beside: besideIn(folder), key }
  for (const first of listed(folder)) {
    const old = [...framesIn(readFileSync(join(folder, nameOf(first))))]
    const end = old.at(-1)
    const frames = old.filter(({ kind }) => kind !== "end")
    const left = frames.map((frame) => withoutIn(frame, without))
    if (left.some((frame, place) => frame !== frames[place])) {
      note(frames.flatMap((frame, place) => lostIn(frame, left[place]!)))
      replace(folders, left, end?.kind === "end" ? end.number : undefined)
    }
    // Also done after a crash between the two.
    copyAgain(folders, first)
  }
  for (const name of ["damaged.log", "made.tmp", "beside/made.tmp"]) rmSync(join(folder, name), { force: true })
}

/** Repairs first: reading only the segments would miss what only a copy has, or what is damaged. */
const mend = (folder: string, key: ReturnType<typeof keyOf>, beside: Beside): void => {
  const writer = new Writer(folder, key, beside)
  try {
    for (const first of listed(folder)) writer.check(first)
  } finally {
    writer.close()
  }
}
