/**
 * The notation for fields in the catalogue's tables, read into data. Fields are separated by white space:
 * - `due_on:date` always has a value; `due_on:date?` may have none.
 * - `hours:number[]` is a list, `grid:number[][]` a list of lists.
 * - `state:open|closed` is one of these texts, `type:=labour` always this one.
 * - `vendor_id:>companies` is the id of a record of that resource.
 * - `author:Person` is a shared shape (`Shapes.ts`); all other kinds are in `Kinds.ts`.
 *
 * Pure. A mistake in a table is a defect.
 */
export type Kind =
  | { readonly _tag: "Plain"; readonly name: string }
  | { readonly _tag: "OneOf"; readonly texts: ReadonlyArray<string> }
  | { readonly _tag: "Always"; readonly text: string }
  | { readonly _tag: "IdOf"; readonly resource: string }
  | { readonly _tag: "Shape"; readonly name: string }

export interface Field {
  readonly name: string
  readonly kind: Kind
  /** 0: not a list. */
  readonly depth: number
  readonly isOptional: boolean
}

const kind = (text: string): Kind => {
  if (text.startsWith(">")) return { _tag: "IdOf", resource: text.slice(1) }
  if (text.startsWith("=")) return { _tag: "Always", text: text.slice(1) }
  if (text.includes("|")) return { _tag: "OneOf", texts: text.split("|") }
  return /^[A-Z]/.test(text) ? { _tag: "Shape", name: text } : { _tag: "Plain", name: text }
}

const field = (text: string): Field => {
  const match = /^(\w+):([>=]?\w[\w|-]*)((?:\[\])*)(\??)$/.exec(text)
  if (match === null) throw new Error(`The catalogue has no field like ${text}.`)
  const [, name = "", of = "", lists = "", optional = ""] = match
  return { name, kind: kind(of), depth: lists.length / 2, isOptional: optional !== "" }
}

export const read = (text: string): ReadonlyArray<Field> =>
  text.split(/\s+/).flatMap((each) => (each === "" ? [] : [field(each)]))
