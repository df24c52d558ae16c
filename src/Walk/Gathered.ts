/**
 * What walks saw of fields without a column and of values that don't fit their column, and the columns that follow from
 * that. A pass shows the whole list, so a type is chosen only after a pass has ended since the field was first seen; it
 * holds all values so far exactly. Memory is bounded, no matter what records contain. Pure.
 */
import type { Change } from "../Domain/Change.ts"
import { isSecretName, isSurelyMoneyName } from "../Domain/FieldNames.ts"
import * as Fit from "../Domain/Fit.ts"
import type { Instant } from "../Domain/Instant.ts"
import { Listed } from "../Domain/Listed.ts"
import * as Limits from "../Domain/Limits.ts"
import { free, nameOf } from "../Domain/Names.ts"
import * as Nested from "../Domain/Nested.ts"
import { keyColumn } from "../Domain/Resource.ts"
import type { EntityTable } from "../Stores/EntityTables.ts"
import type { LearnedColumn } from "../Stores/LearnedColumns.ts"
import type { PassState } from "./Checkpoints.ts"

/** Per table, including its own columns. */
export const mostColumns = 500
/** Per table. Records whose field names are ids have as many fields as there are ids. */
const mostFields = 1_000

interface Seen {
  readonly kinds: Set<Fit.Kind>
  readonly firstAt: Instant
  /** The pass that was under way; set when it was first looked up. */
  pass: number | undefined
}

interface Table {
  /** By field. */
  readonly fields: Map<string, Seen>
  /** By column. */
  readonly misfits: Map<string, Seen>
}

export class Gathered {
  readonly #tables = new Map<string, Table>()

  /** Tables of which anything was seen. */
  get names(): ReadonlyArray<string> {
    return [...this.#tables.keys()]
  }

  /** `table`: in its current form. Returns how many values didn't fit their column. */
  take({ name, resource }: EntityTable, changes: Iterable<Change>): number {
    const { columns, learned, learns, nested } = resource
    let misfits = 0
    for (const change of changes) {
      for (const _column in change.misfits) misfits++
      if (nested !== undefined) misfits += Nested.misfitsIn(resource, change.values)
      if (learns !== true && learned === undefined) continue
      eachExtra(change, (field, text) => {
        const column = learned?.get(field)
        if (column === undefined) {
          if (learns === true) this.#note(name, "fields", field, text, change.seenAt)
        } else if (!Fit.holds(columns[column]?.type ?? "JSON", text)) {
          misfits++
          if (learns === true) this.#note(name, "misfits", column, text, change.seenAt)
        }
      })
    }
    return misfits
  }

  #note(table: string, what: keyof Table, key: string, text: string, firstAt: Instant): void {
    let of = this.#tables.get(table)
    const seen = of?.[what].get(key)
    if (seen !== undefined && Fit.isSettled(seen.kinds, text)) return
    const kind = Fit.kindOf(text)
    // A field that is always null gives no type.
    if (kind === undefined) return
    if (seen !== undefined) return void seen.kinds.add(kind)
    if (of === undefined) this.#tables.set(table, (of = { fields: new Map(), misfits: new Map() }))
    if (of[what].size < mostFields) of[what].set(key, { kinds: new Set([kind]), firstAt, pass: undefined })
  }

  /** The columns that are due: a pass has ended since their field was first seen. */
  ripe(table: EntityTable, state: PassState | undefined, at: Instant): ReadonlyArray<LearnedColumn> {
    const { fields, misfits } = this.#tables.get(table.name) ?? { fields: new Map<string, Seen>(), misfits: new Map() }
    const naming = new Naming(table, at)
    for (const [field, seen] of fields) if (isRipe(seen, state)) naming.add(field, seen.kinds)
    for (const [column, seen] of misfits) if (isRipe(seen, state)) naming.addBeside(column, seen.kinds)
    return naming.columns
  }

  /** Fields that were due have their column now, or won't get one. */
  forget(table: string, state: PassState | undefined): void {
    const of = this.#tables.get(table)
    if (of === undefined) return
    for (const those of [of.fields, of.misfits]) {
      for (const [key, seen] of those) if (isRipe(seen, state)) those.delete(key)
    }
    if (of.fields.size + of.misfits.size === 0) this.#tables.delete(table)
  }
}

/** The `extra` of a listed record is created only if it is read, so it is avoided here. */
const eachExtra = (change: Change, visit: (field: string, text: string) => void): void => {
  if (change instanceof Listed) return change.eachExtra(visit)
  const { extra } = change
  for (const field in extra) visit(field, extra[field] ?? "null")
}

/** Also notes the pass in which the field was seen. */
const isRipe = (seen: Seen, state: PassState | undefined): boolean => {
  if (state === undefined) return false
  seen.pass ??= state.pass
  return state.pass > seen.pass || (state.finished_at !== null && state.finished_at >= seen.firstAt)
}

class Naming {
  readonly columns: Array<LearnedColumn> = []
  readonly #table: EntityTable
  readonly #at: Instant
  readonly #taken: Set<string>

  constructor(table: EntityTable, at: Instant) {
    this.#table = table
    this.#at = at
    this.#taken = new Set(table.columns.map(({ name }) => name))
  }

  add(field: string, kinds: ReadonlySet<Fit.Kind>): void {
    const { fields, learned } = this.#table.resource
    if (fields?.has(field) === true || learned?.has(field) === true || !canName(field)) return
    const type = typeOf(field, kinds)
    const name = nameOf(field, "field")
    if (type !== undefined && !isSecretName(name)) this.#put({ name, field, type, beside: null })
  }

  /** A column keeps its type: values that don't fit it go into another column. */
  addBeside(column: string, kinds: ReadonlySet<Fit.Kind>): void {
    const { learned, spills } = this.#table.resource
    const [field] = [...(learned ?? [])].find(([, name]) => name === column) ?? []
    if (field === undefined || spills?.has(column) === true) return
    const isNested = kinds.has("nested")
    const name = nameOf(`${column}_${isNested ? "json" : "text"}`, "field")
    this.#put({ name, field, type: isNested ? "JSON" : "VARCHAR", beside: column })
  }

  #put({ name: wanted, ...rest }: Omit<LearnedColumn, "learned_at" | "resource">): void {
    const name = this.#isLeft(wanted, rest.type) ? wanted : free(wanted, this.#taken)
    if (!this.#taken.has(name) && this.#taken.size >= mostColumns) return
    this.#taken.add(name)
    this.columns.push({ ...rest, resource: this.#table.name, name, learned_at: this.#at })
  }

  /** The column exists but nothing fills it, as after restoring an older Store. */
  #isLeft(name: string, type: Fit.LearnedType): boolean {
    const { columns, resource } = this.#table
    if (Object.hasOwn(resource.columns, name) || name === keyColumn(resource)) return false
    return (
      columns.some((column) => column.name === name && column.type === type) &&
      !this.columns.some((column) => column.name === name)
    )
  }
}

/** The Store must be able to hold the field's name. */
const canName = (field: string): boolean => Limits.isText(field) && !Limits.isTooLong(field)

/** A money field is money even if only whole amounts were seen. */
const typeOf = (field: string, kinds: ReadonlySet<Fit.Kind>): Fit.LearnedType | undefined => {
  const type = Fit.typeFor(kinds)
  return type === "BIGINT" && isSurelyMoneyName(field) ? "DECIMAL(28,4)" : type
}
