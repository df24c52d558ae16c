/**
 * Everything that is known of an IPC, in order of time: deliveries, facts, entries, holds and decisions. Pure.
 *
 * Guarantees: items of the same time are in the order in which one leads to the next.
 */
import type { Answer } from "./Api.ts"
import { idIn, objectIn, type Row, textIn } from "./Rows.ts"

export type Kind = "delivery" | "fact" | "entry" | "decision" | "hold"

export interface Moment {
  readonly kind: Kind
  /** When it became known. */
  readonly at: string
  readonly key: string
  readonly row: Row
}

const order: ReadonlyArray<Kind> = ["delivery", "fact", "decision", "entry", "hold"]

const momentsOf = (kind: Kind, rows: ReadonlyArray<Row>, at: string, key: string): ReadonlyArray<Moment> =>
  rows.map((row) => ({ kind, at: idIn(row, at), key: `${kind} ${idIn(row, key)}`, row }))

export const timelineOf = ({ decisions, entries, events, facts, holds }: Answer<"explain">): ReadonlyArray<Moment> =>
  [
    ...momentsOf("delivery", events, "received_at", "body_sha256"),
    ...momentsOf("fact", facts, "known_at", "number"),
    ...momentsOf("entry", entries, "known_at", "entry_id"),
    ...momentsOf("decision", decisions, "decided_at", "number"),
    ...momentsOf("hold", holds, "since", "hold_id")
  ].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : order.indexOf(a.kind) - order.indexOf(b.kind)))

/** A column of the IPC's row. */
export interface Current {
  readonly name: string
  readonly value: string
  /** The time of its version; null: it has none. */
  readonly at: string | null
  /** The sequence of the delivery that said it; null: a list or a look-up said it. */
  readonly delivery: string | null
}

/** A version is its microseconds, a stage, and the beginning of the hash of the body that said it. */
const versionOf = (text: unknown): { readonly at: string; readonly hash: string } | undefined => {
  const [, micros, hash] = /^(\d{16})\.\d+\.([0-9a-f]+)$/.exec(String(text)) ?? []
  if (micros === undefined || hash === undefined) return undefined
  return { at: new Date(Number(micros.slice(0, -3))).toISOString(), hash }
}

export const currentOf = ({ events, row }: Answer<"explain">): ReadonlyArray<Current> => {
  if (row === null) return []
  const clocks = objectIn(row, "_clocks")
  return Object.keys(row).flatMap((name) => {
    const value = textIn(row, name)
    if (name.startsWith("_") || value === null) return []
    const version = versionOf(clocks[name])
    const said = events.find((event) => version !== undefined && idIn(event, "body_sha256").startsWith(version.hash))
    return [{ name, value, at: version?.at ?? null, delivery: said === undefined ? null : textIn(said, "sequence") }]
  })
}
