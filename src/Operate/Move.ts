/**
 * Moves the whole Store from one engine to the other: SQLite to PostgreSQL, or back.
 *
 * The target must be empty, and no worker may run on either side. All rows are copied in one transaction of the target,
 * with their numbers. Before the commit, every table is read back and compared with the source by its count and a hash
 * of its rows. A crash before that leaves the target empty and the source as it was. Then the source is marked as
 * moved, so that no worker starts on it: two stores would each post to accounting. The warehouse isn't moved: the next
 * start builds a new one from the inbox and a fresh walk.
 */
import { createHash } from "node:crypto"
import { Effect, Schema, type Scope } from "effect"
import * as Epoch from "../Ledger/Epoch.ts"
import { track } from "../Runtime/Progress.ts"
import * as Moved from "./Move/Moved.ts"
import { storeTables } from "../Stores/StoreTables.ts"
import { disowned } from "../Stores/Projection.ts"

export class MoveError extends Schema.TaggedError<MoveError>()("MoveError", { message: Schema.String }) {}

/** Whole numbers as text. */
export type Value = string | Uint8Array | null
export type Values = ReadonlyArray<Value>

/** A store that nothing else uses while it is open. */
export interface Side {
  readonly name: string
  /** In alphabetical order. */
  readonly columns: (table: string) => Promise<ReadonlyArray<string>>
  /** In any order, in batches that fit in memory; values in the order of the columns. */
  readonly rows: (table: string) => AsyncIterable<ReadonlyArray<Values>>
  readonly put: (table: string, rows: ReadonlyArray<Values>) => Promise<void>
  /** Lets a table that numbers its own rows continue after the greatest number. */
  readonly count: (table: string) => Promise<void>
  readonly begin: () => Promise<void>
  readonly commit: () => Promise<void>
  readonly meta: (key: string) => Promise<string | undefined>
  readonly setMeta: (key: string, value: string) => Promise<void>
}

export type Open = Effect.Effect<Side, MoveError, Scope.Scope>

/** In the order of their references. The next start derives from them the tables that only one engine has. */
export const movedTables: ReadonlyArray<string> = storeTables
  .filter(({ only }) => only === undefined)
  .map(({ name }) => name)

/** Equal for the same rows in any order. */
export interface Sum {
  readonly rows: number
  readonly sha256: string
}

const bits = 256

class Summing {
  #rows = 0
  #sum = 0n

  add(rows: ReadonlyArray<Values>): void {
    for (const values of rows) {
      const text = JSON.stringify(values.map((value) => (value instanceof Uint8Array ? { bytes: hex(value) } : value)))
      this.#sum = BigInt.asUintN(bits, this.#sum + BigInt(`0x${createHash("sha256").update(text).digest("hex")}`))
    }
    this.#rows += rows.length
  }

  get sum(): Sum {
    return { rows: this.#rows, sha256: this.#sum.toString(16).padStart(bits / 4, "0") }
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

export const sumOf = async (side: Side, table: string): Promise<Sum> => {
  const summing = new Summing()
  for await (const rows of side.rows(table)) summing.add(rows)
  return summing.sum
}

const copy = async (from: Side, to: Side, table: string): Promise<Sum> => {
  const [columns, expected] = [await to.columns(table), await from.columns(table)]
  if (columns.join() !== expected.join())
    throw new Error(`it has the columns ${columns.join()}, not ${expected.join()}`)
  const summing = new Summing()
  for await (const rows of from.rows(table)) {
    summing.add(rows)
    await to.put(table, rows)
  }
  await to.count(table)
  return summing.sum
}

const isSame = (one: Sum, other: Sum): boolean => one.rows === other.rows && one.sha256 === other.sha256

const attempt = <A>(what: string, use: () => Promise<A>): Effect.Effect<A, MoveError> =>
  Effect.tryPromise({
    try: use,
    catch: (cause) => new MoveError({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/** Both sides are released when the scope closes, which rolls back what wasn't committed. */
export const move = Effect.fn("Move.move")(function* (openFrom: Open, openTo: Open) {
  const from = yield* openFrom
  const to = yield* openTo
  yield* attempt(`${from.name} can't be read`, from.begin)
  yield* attempt(`${to.name} can't be written`, to.begin)
  const movedTo = yield* attempt(`${from.name} can't be read`, () => from.meta(Moved.key))
  if (movedTo !== undefined) return yield* movedAlready(from, movedTo)
  for (const table of movedTables) {
    const { rows } = yield* attempt(`${to.name} can't be read`, () => sumOf(to, table))
    if (rows > 0) return yield* notEmpty(to, table)
  }
  const tables: Record<string, Sum> = {}
  yield* track("move", { unit: "tables", total: movedTables.length }, (reached) =>
    Effect.forEach(
      movedTables,
      Effect.fnUntraced(function* (table, index) {
        const sum = yield* attempt(`Nothing was moved: table ${table} can't be copied`, () => copy(from, to, table))
        const found = yield* attempt(`Nothing was moved: table ${table} can't be read back`, () => sumOf(to, table))
        if (!isSame(sum, found)) return yield* different(table, sum, found)
        tables[table] = sum
        reached(index + 1)
      }),
      { discard: true }
    )
  )
  yield* attempt(`${to.name} can't be written`, async () => {
    await to.setMeta(disowned.key, disowned.value)
    // The old store may also be put back and continue.
    await to.setMeta(Epoch.key, String(Epoch.after(await from.meta(Epoch.key))))
    await to.commit()
  })
  yield* attempt(
    `Everything was moved to ${to.name}, but the old store can't be marked as moved; set it aside yourself`,
    async () => {
      await from.setMeta(Moved.key, to.name)
      await from.commit()
    }
  )
  return { from: from.name, to: to.name, tables }
})

const movedAlready = (from: Side, movedTo: string) =>
  new MoveError({ message: `${from.name} was already moved to ${movedTo}. Nothing was moved.` })

const notEmpty = (to: Side, table: string) =>
  new MoveError({ message: `${to.name} isn't empty: there are rows in ${table}. Nothing was moved.` })

const different = (table: string, sum: Sum, found: Sum) =>
  new MoveError({
    message: `Nothing was moved: table ${table} came out different (${sum.rows} rows, ${found.rows} in the target).`
  })
