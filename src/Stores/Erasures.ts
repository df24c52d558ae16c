/**
 * What has been erased, according to the Store: a tombstone for each value or record, and the hashes of the bodies that
 * lost something.
 *
 * A tombstone without a link is an unfinished erasure. No worker starts then, because it could write back what is still
 * in some file. Tombstones are linked by hashes, so that none can be changed or removed unnoticed.
 */
import { hash } from "node:crypto"
import { Context, Effect } from "effect"
import type { Kysely, Selectable } from "kysely"
import * as Erasure from "../Domain/Erasure.ts"
import { Store, StoreError } from "./Store.ts"
import type { StoreTables } from "./StoreTables.ts"

type Db = Kysely<StoreTables>
export type Tombstone = Selectable<StoreTables["erasures"]>

/** How incoming data is read, in this thread and in another one. */
export interface Reading extends Erasure.Reads {
  /** A module that exports `bodies`, which makes an equal reader from `given`. */
  readonly apart: { readonly module: string; readonly given: unknown }
}

export interface Erasing {
  readonly all: ReadonlyArray<Erasure.Erased>
  readonly reads: Reading
}

/**
 * What must not come in again, as of this process's start: nothing is erased while a worker runs. Undefined if nothing
 * is erased.
 */
export const Erasing = Context.Reference<Erasing | undefined>("siteledger/Stores/Erasing", {
  defaultValue: () => undefined
})

export const ruleOf = (row: Tombstone): Erasure.Erased =>
  row.table_name === null
    ? {
        salt: row.salt,
        sha256: row.value_sha256,
        field: row.field,
        length: row.value_length,
        isWithin: row.is_within === 1
      }
    : { salt: row.salt, sha256: row.value_sha256, table: row.table_name }

/** The part of a tombstone that says what was erased. */
export const rowOf = (rule: Erasure.Erased) => {
  const shared = { salt: rule.salt, value_sha256: rule.sha256 }
  return Erasure.isOfRecord(rule)
    ? { ...shared, table_name: rule.table, field: null, value_length: 0, is_within: 0 }
    : { ...shared, table_name: null, field: rule.field, value_length: rule.length, is_within: rule.isWithin ? 1 : 0 }
}

/** In the order in which they were requested. */
export const tombstones = (db: Db): Promise<ReadonlyArray<Tombstone>> =>
  db.selectFrom("erasures").selectAll().orderBy("number").execute()

export const isThrough = ({ chain }: Tombstone): boolean => chain !== null

const unfinished = new StoreError({
  reason: "Unusable",
  message: "An erasure was begun and isn't finished: run `siteledger erase --resume`, then start again."
})

/** Read at a worker's start, which an unfinished erasure refuses. */
export const erasing = Effect.fnUntraced(function* (reads: Reading) {
  const store = yield* Store
  const all = yield* store.run(tombstones)
  if (!all.every(isThrough)) return yield* unfinished
  yield* store.knows(all.length)
  return all.length === 0 ? undefined : ({ reads, all: all.map(ruleOf) } satisfies Erasing)
})

const bodiesOf = async (db: Db, erasure: number): Promise<ReadonlyArray<string>> => {
  const rows = await db
    .selectFrom("erased_bodies")
    .select("body_sha256")
    .where("erasure", "=", erasure)
    .orderBy("body_sha256")
    .execute()
  return rows.map((row) => row.body_sha256)
}

/** Of values as text, because engines return numbers differently. */
const linkOf = (before: string, { chain: _chain, ...row }: Tombstone, bodies: ReadonlyArray<string>): string => {
  const values = Object.entries(row).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]))
  return hash("sha256", JSON.stringify([before, values.toSorted(), bodies]))
}

/** Links those that have no link yet: what they name has been removed from every file. */
export const finish = async (db: Db): Promise<void> => {
  let before = ""
  for (const row of await tombstones(db)) {
    const chain = row.chain ?? linkOf(before, row, await bodiesOf(db, Number(row.number)))
    if (row.chain === null) await db.updateTable("erasures").set({ chain }).where("number", "=", row.number).execute()
    before = chain
  }
}

/** Into an older Store: what was erased since is in its bodies and must be erased again before a start. */
export const takeOver = async (db: Db, newer: ReadonlyArray<Tombstone>): Promise<void> => {
  const known = new Set((await tombstones(db)).map(({ salt, value_sha256: value }) => `${salt} ${value}`))
  const lacking = newer.filter(({ salt, value_sha256: value }) => !known.has(`${salt} ${value}`))
  for (const { number: _number, ...row } of lacking) {
    await db
      .insertInto("erasures")
      .values({ ...row, chain: null })
      .execute()
  }
}

/** In words; at most `most`. */
export const broken = async (db: Db, most: number): Promise<ReadonlyArray<string>> => {
  const differences: Array<string> = []
  let [before, next] = ["", 1]
  for (const row of await tombstones(db)) {
    const number = Number(row.number)
    if (number !== next) differences.push(`There is no erasure ${next}.`)
    next = number + 1
    const expected = linkOf(before, row, await bodiesOf(db, number))
    if (row.chain !== null && row.chain !== expected) {
      differences.push(`Erasure ${number}, the bodies that it names, or the erasure before it were changed since.`)
    }
    before = row.chain ?? expected
  }
  return differences.slice(0, most)
}

/** Which of these hashes belong to bodies that lost something. */
export const erasedAmong = async (db: Db, sha256: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  if (sha256.length === 0) return new Set()
  const rows = await db.selectFrom("erased_bodies").select("body_sha256").where("body_sha256", "in", sha256).execute()
  return new Set(rows.map((row) => row.body_sha256))
}
