/**
 * The Change of one listed record, as slices of its page's text: a first walk makes a row from it without creating an
 * object for each record's fields. What the records of a page with the same fields have in common is held once, in
 * their Sheet. Pure.
 *
 * It behaves as any other Change: `values` and `extra` are created when they are first read.
 */
import type { Change } from "./Change.ts"
import { clocksOf } from "./FirstRow.ts"
import type { Instant } from "./Instant.ts"
import { sorted } from "./ObjectText.ts"
import type { Version } from "./Version.ts"

interface Field {
  readonly name: string
  /** Its name as JSON, with the brace or comma before it and the colon after it. */
  readonly key: string
  /** The position of its text among the record's texts. */
  readonly place: number
}

export interface Sheet {
  readonly entity: string
  /** The column that holds its key. */
  readonly keyColumn: string
  readonly version: Version
  readonly seenAt: Instant
  /** By column. All of them are VARCHAR. */
  readonly columns: ReadonlyMap<string, number>
  /** In the order in which they are written. */
  readonly fields: ReadonlyArray<Field>
  readonly clocks: string
}

/** `places`: positions of the fields without a column, by name. */
export const sheet = (
  shared: Pick<Sheet, "columns" | "entity" | "keyColumn" | "seenAt" | "version">,
  places: Readonly<Record<string, number>>
): Sheet => ({
  ...shared,
  fields: Object.entries(sorted(places)).map(([name, place], index) => ({
    name,
    key: `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`,
    place
  })),
  clocks: clocksOf([...shared.columns.keys()], Object.keys(places), shared.version)
})

const none = {}
const quote = 34

export class Listed implements Change {
  readonly id: string
  readonly #sheet: Sheet
  readonly #texts: ReadonlyArray<string>
  readonly source = "page" as const
  readonly misfits = none
  #values: Change["values"] | undefined
  #extra: Change["extra"] | undefined

  /** `texts`: JSON as `Json.stringify` writes it. The texts of columns are neither objects nor lists. */
  constructor(sheet: Sheet, id: string, texts: ReadonlyArray<string>) {
    this.#sheet = sheet
    this.id = id
    this.#texts = texts
  }

  get entity(): string {
    return this.#sheet.entity
  }

  get version(): Version {
    return this.#sheet.version
  }

  get seenAt(): Instant {
    return this.#sheet.seenAt
  }

  get values(): Change["values"] {
    return (this.#values ??= Object.fromEntries(
      [...this.#sheet.columns.keys()].map((name) => [name, this.textOf(name)])
    ))
  }

  get extra(): Change["extra"] {
    if (this.#extra !== undefined) return this.#extra
    const extra = Object.create(null) as Record<string, string>
    for (const { name, place } of this.#sheet.fields) extra[name] = this.#texts[place] ?? "null"
    return (this.#extra = extra)
  }

  /** Visits the fields of `extra` without creating it. */
  eachExtra(visit: (field: string, text: string) => void): void {
    for (const { name, place } of this.#sheet.fields) visit(name, this.#texts[place] ?? "null")
  }

  /** The value of one column in its first row, equal to what `firstRow` makes. */
  textOf(column: string): string | null {
    switch (column) {
      case this.#sheet.keyColumn:
        return this.id
      case "_clocks":
        return this.#sheet.clocks
      case "_extra":
        return this.#extraText()
      case "_first_seen_at":
      case "_changed_at":
        return this.#sheet.seenAt
    }
    const place = this.#sheet.columns.get(column)
    const text = place === undefined ? "null" : (this.#texts[place] ?? "null")
    if (text.charCodeAt(0) === quote) return text.slice(1, -1)
    return text === "null" ? null : text
  }

  #extraText(): string | null {
    const { fields } = this.#sheet
    if (fields.length === 0) return null
    let text = ""
    for (const { key, place } of fields) text += key + (this.#texts[place] ?? "null")
    return `${text}}`
  }
}
