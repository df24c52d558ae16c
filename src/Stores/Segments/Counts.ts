/**
 * Deliveries of a body after its first one. The inbox's files hold each of them; the Store's table `inbox_again` has
 * their totals, for all up to the watermark.
 */
import type { Insertable, Kysely, Selectable, Transaction } from "kysely"
import type { Event } from "../../Domain/Event.ts"
import { listedNumbers } from "../Sql.ts"
import type { StoreTables } from "../StoreTables.ts"
import type { First, Labels, Sum } from "./Frame.ts"

/** Another delivery of a known body, and what came with its first delivery. */
export interface Repeat {
  readonly number: number
  readonly of: number
  readonly labels: Pick<Labels, "eventId" | "headerType">
  readonly first: Pick<Labels, "eventId" | "headerType" | "counted">
}

const once: Sum = { deliveries: 1, replayed: false, otherTypes: [] }

/** Limits how far a total can grow when the same body is sent repeatedly under new labels. */
const mostLabels = 64

const isNew = (type: string | null, repeat: Repeat, sum: Sum): type is string =>
  type !== null &&
  type !== repeat.first.headerType &&
  !sum.otherTypes.includes(type) &&
  sum.otherTypes.length < mostLabels

const plus = (sum: Sum, repeat: Repeat): Sum => {
  const { eventId, headerType } = repeat.labels
  return {
    deliveries: sum.deliveries + 1,
    replayed: sum.replayed || eventId !== repeat.first.eventId,
    otherTypes: isNew(headerType, repeat, sum) ? [...sum.otherTypes, headerType] : sum.otherTypes
  }
}

type Row = Selectable<StoreTables["inbox_again"]>

const fromRow = (row: Row): Sum => ({
  deliveries: row.deliveries,
  replayed: row.replayed !== 0,
  otherTypes: JSON.parse(row.other_types) as ReadonlyArray<string>
})

const toRow = ([sequence, sum]: readonly [number, Sum]): Insertable<StoreTables["inbox_again"]> => ({
  sequence,
  deliveries: sum.deliveries,
  replayed: sum.replayed ? 1 : 0,
  other_types: JSON.stringify(sum.otherTypes)
})

/** The totals of those events that were delivered again. */
export const sumsOf = async (
  db: Kysely<StoreTables>,
  sequences: ReadonlyArray<number>
): Promise<ReadonlyMap<number, Sum>> => {
  if (sequences.length === 0) return new Map()
  const rows = await db
    .selectFrom("inbox_again")
    .selectAll()
    .where("sequence", "in", listedNumbers(db, sequences))
    .execute()
  return new Map(rows.map((row) => [row.sequence, fromRow(row)]))
}

export const folded = (sums: ReadonlyMap<number, Sum>, repeats: ReadonlyArray<Repeat>): ReadonlyMap<number, Sum> => {
  const all = new Map(sums)
  for (const repeat of repeats) all.set(repeat.of, plus(all.get(repeat.of) ?? repeat.first.counted ?? once, repeat))
  return all
}

export const keep = async (tx: Transaction<StoreTables>, repeats: ReadonlyArray<Repeat>): Promise<void> => {
  if (repeats.length === 0) return
  const sums = folded(await sumsOf(tx, [...new Set(repeats.map(({ of }) => of))]), repeats)
  const changed = new Set(repeats.map(({ of }) => of))
  await tx
    .insertInto("inbox_again")
    .values([...sums].filter(([sequence]) => changed.has(sequence)).map(toRow))
    .onConflict((conflict) =>
      conflict.column("sequence").doUpdateSet((of) => ({
        deliveries: of.ref("excluded.deliveries"),
        replayed: of.ref("excluded.replayed"),
        other_types: of.ref("excluded.other_types")
      }))
    )
    .execute()
}

export const toEvent = ({ body, labels, number }: First, bodySha256: string, sum: Sum | undefined): Event => ({
  sequence: number,
  bodySha256,
  body,
  eventId: labels.eventId,
  headerType: labels.headerType,
  issuedAt: labels.issuedAt,
  receivedAt: labels.receivedAt,
  isReused: labels.isReused ?? false,
  ...(sum ?? labels.counted ?? once)
})
