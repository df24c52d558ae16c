/**
 * Which field names a record: judged by its name, and by the parameter with which a single record is requested. Pure.
 */
import type { Field } from "./RecordFields.ts"
import { plain, words } from "../Domain/Names.ts"
import { called, type Shapes } from "./Shape.ts"

export type Key =
  | { readonly field: Field; readonly type: "BIGINT" | "VARCHAR"; readonly reason: string; readonly doubt: number }
  | { readonly problem: string }

const surest = ["id", "uuid", "guid", "_id", "gid", "sid", "uid"]
/** These may name a record if nothing better does. */
const perhaps = ["key", "code", "slug", "number", "ref", "reference", "line_no", "line_number", "handle", "identifier"]

export interface About {
  /** The singular name of the records. */
  readonly record: string
  /** In the path of a single record. */
  readonly parameter: string | undefined
  /** Parameters of the list's own path, which identify its parents. */
  readonly parents: ReadonlyArray<string>
}

export const keyOf = (shapes: Shapes, all: ReadonlyArray<Field>, { parameter, parents, record }: About): Key => {
  // A parent's `code` in the path isn't the record's own.
  const others = new Set(parents.filter((name) => words(name).length > 1).map(plain))
  const fields = all.filter(({ name }) => isSurest(name) || !others.has(plain(name)))
  const byName = new Map(fields.map((field) => [plain(field.name), field]))
  const exact = new Map(fields.map((field) => [field.name, field]))
  const last = words(record).at(-1) ?? ""
  const ending = (ends: ReadonlyArray<string>) => ends.flatMap((end) => [`${record}_${end}`, `${last}_${end}`])
  const asked = parameter === undefined ? [] : [parameter, withoutRecord(parameter, last)]
  const steps: ReadonlyArray<readonly [names: ReadonlyArray<string>, doubt: number]> = [
    [surest, 0],
    [asked, 0],
    [ending(["id", "uuid", "guid", "gid", "key"]), 0],
    [firstId(fields), 1],
    [ending(["number", "no", "code"]), 1],
    [parameter === undefined ? perhaps : [...perhaps, last], 2]
  ]
  let unusable: string | undefined
  for (const [names, doubt] of steps) {
    for (const name of names) {
      const field = exact.get(name) ?? (plain(name) === "" ? undefined : byName.get(plain(name)))
      if (field === undefined) continue
      const shape = shapes.of(field.schema)
      if (shape.kind === "scalar" && shape.type !== "boolean") {
        const isSure = field.isRequired || doubt === 0
        return {
          field,
          type: shape.type === "string" ? "VARCHAR" : "BIGINT",
          reason: `${field.name} names a record${asked.includes(name) && !surest.includes(name) ? `, as in the path of a single one` : ""}.`,
          doubt: isSure ? doubt : doubt + 1
        }
      }
      unusable ??= `Its ${field.name} is ${called(shape) === "anything" ? "of no one type" : `of type ${called(shape)}`}, which can't be a key.`
    }
    if (unusable !== undefined) return { problem: unusable }
  }
  const shown = all.slice(0, 5).map(({ name }) => (name.length > 30 ? `${name.slice(0, 29)}…` : name))
  const listed = shown.length === 0 ? "no fields" : `${shown.join(", ")}${all.length > 5 ? ", …" : ""}`
  return { problem: `No field tells its records apart (it has ${listed}): name the columns that do under key.` }
}

/** A record begins with its id, regardless of the id's name. */
const firstId = ([first]: ReadonlyArray<Field>): ReadonlyArray<string> =>
  first !== undefined && /^(id|uuid|guid|gid)$/.test(words(first.name).at(-1) ?? "") ? [first.name] : []

export const isSurest = (name: string): boolean => surest.includes(name.toLowerCase())

/** For `issue_number`: `number`. */
const withoutRecord = (parameter: string, record: string): string => {
  const [first, ...rest] = words(parameter)
  return first === record && rest.length > 0 ? rest.join("_") : parameter
}
