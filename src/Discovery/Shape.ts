/**
 * What values a schema describes, as far as a table needs to know: an object's fields, a list's items, a scalar's type.
 *
 * A schema is evaluated only when needed, so circular objects are no problem. `allOf` is joined, alternatives are
 * united, null is left out. Each schema's shape is computed once. Anything too deep, too wide or circular is `unknown`,
 * with the reason in words, so the work is bounded, regardless of the document's contents. Pure.
 */
import { at, type Document, entriesOf, isObject, listAt, resolve, textAt } from "./Document.ts"

export type ScalarType = "boolean" | "integer" | "number" | "string"

export interface Scalar {
  readonly kind: "scalar"
  readonly type: ScalarType
  readonly schema: unknown
}

export interface Fields {
  readonly kind: "object"
  readonly fields: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
  /** The schema of all other fields, if they have one. */
  readonly others?: unknown
  /** The name of the schema in the document; the same for all that refer to it. */
  readonly ref?: string
  /** For a part that couldn't be read. */
  readonly problem?: string
}

export interface Items {
  readonly kind: "array"
  readonly items: unknown
}

export interface Unknown {
  readonly kind: "unknown"
  /** Undefined if the schema allows values of several kinds, or any value. */
  readonly problem?: string
}

export type Shape = Scalar | Fields | Items | Unknown

const deepest = 48
const mostFields = 1000
/** The limit for fields joined and alternatives united in one document. */
const mostWork = 3_000_000

const any: Unknown = { kind: "unknown" }

const scalars: ReadonlySet<unknown> = new Set(["boolean", "integer", "number", "string"])

export class Shapes {
  readonly #document: Document
  readonly #known = new Map<unknown, Shape>()
  readonly #making = new Set<unknown>()
  #work = 0

  constructor(document: Document) {
    this.#document = document
  }

  of(schema: unknown): Shape {
    const { problem, ref, value } = resolve(this.#document, schema)
    if (problem !== undefined) return { kind: "unknown", problem }
    if (!isObject(value)) return any
    const known = this.#known.get(value)
    if (known !== undefined) return known
    if (this.#making.has(value)) return { kind: "unknown", problem: "its schema is made of itself" }
    if (this.#making.size >= deepest) return { kind: "unknown", problem: "its schema is nested too deeply" }
    this.#making.add(value)
    const made = this.#made(value)
    this.#making.delete(value)
    const shape: Shape = made.kind === "object" && ref !== undefined && made.ref === undefined ? { ...made, ref } : made
    this.#known.set(value, shape)
    return shape
  }

  #made(schema: Readonly<Record<string, unknown>>): Shape {
    const parts = listAt(schema, "allOf")
    const choices = [...listAt(schema, "oneOf"), ...listAt(schema, "anyOf")]
    const own = this.#own(schema)
    if (parts.length + choices.length > 0 && this.#work > mostWork) {
      return { kind: "unknown", problem: "the document's schemas are joined too often" }
    }
    const shapes = [
      ...parts.slice(0, mostFields).map((part) => this.of(part)),
      ...(choices.length === 0 ? [] : [this.#united(choices.slice(0, mostFields))])
    ]
    if (shapes.length === 0) return own
    return this.#joined(own === any ? shapes : [...shapes, own])
  }

  #own(schema: Readonly<Record<string, unknown>>): Shape {
    const type = typeOf(schema)
    if (type === "array" || (type === undefined && at(schema, "items") !== undefined)) {
      return { kind: "array", items: at(schema, "items") }
    }
    if (type === "object" || (type === undefined && at(schema, "properties") !== undefined)) {
      const fields = new Map(entriesOf(at(schema, "properties")).slice(0, mostFields))
      const others = at(schema, "additionalProperties")
      return {
        kind: "object",
        fields,
        required: new Set(listAt(schema, "required").filter((name) => typeof name === "string")),
        ...(isObject(others) && Object.keys(others).length > 0 ? { others } : {})
      }
    }
    return scalars.has(type) ? { kind: "scalar", type: type as ScalarType, schema } : any
  }

  /** The shape of a value that satisfies all of these. */
  #joined(shapes: ReadonlyArray<Shape>): Shape {
    const objects = shapes.filter((shape) => shape.kind === "object")
    const [broken] = shapes.flatMap((shape) => (shape.kind === "unknown" && shape.problem !== undefined ? [shape] : []))
    const first = shapes.find((shape) => shape.kind !== "unknown") ?? any
    const [only] = objects
    if (only === undefined) return broken ?? arrayOf(shapes) ?? first
    const joined = objects.length === 1 ? only : this.#merged(objects, true)
    return broken?.problem === undefined ? joined : { ...joined, problem: broken.problem }
  }

  #merged(objects: ReadonlyArray<Fields>, isAll: boolean): Fields {
    const fields = new Map<string, unknown>()
    for (const object of objects) {
      this.#work += object.fields.size
      for (const [name, schema] of object.fields) {
        if (fields.size >= mostFields) break
        const before = fields.get(name)
        if (before === undefined) fields.set(name, schema)
        else if (isAll && before !== schema) fields.set(name, { allOf: [before, schema] })
      }
    }
    const [first] = objects
    const required = isAll
      ? new Set(objects.flatMap((object) => [...object.required]))
      : new Set([...(first?.required ?? [])].filter((name) => objects.every((object) => object.required.has(name))))
    const refs = new Set(objects.map(({ ref }) => ref))
    const [ref] = refs
    return { kind: "object", fields, required, ...(refs.size === 1 && ref !== undefined ? { ref } : {}) }
  }

  /** The shape of a value that satisfies one of these. */
  #united(schemas: ReadonlyArray<unknown>): Shape {
    this.#work += schemas.length
    const shapes = schemas.filter((schema) => !isNull(schema)).map((schema) => this.of(schema))
    const [first = any] = shapes
    if (shapes.length <= 1) return first
    const objects = shapes.filter((shape) => shape.kind === "object")
    if (objects.length === shapes.length) return this.#merged(objects, false)
    const scalar = shapes.filter((shape) => shape.kind === "scalar")
    if (scalar.length < shapes.length) return shapes.find(({ kind }) => kind === "unknown") ?? any
    const types = new Set(scalar.map(({ type }) => type))
    if (types.size === 1) return first
    const isNumber = types.size === 2 && types.has("integer") && types.has("number")
    return { kind: "scalar", type: isNumber ? "number" : "string", schema: {} }
  }
}

/** The items of a value that satisfies all of these lists. */
const arrayOf = (shapes: ReadonlyArray<Shape>): Items | undefined => {
  const items = shapes.flatMap((shape) => (shape.kind === "array" && shape.items !== undefined ? [shape.items] : []))
  return items.length > 1 ? { kind: "array", items: { allOf: items } } : undefined
}

const isNull = (schema: unknown): boolean => {
  const type = at(schema, "type")
  return type === "null" || (Array.isArray(type) && type.length === 1 && type[0] === "null")
}

/** Without null. Several scalar types become text, which can represent each of them. */
const typeOf = (schema: Readonly<Record<string, unknown>>): unknown => {
  const given = at(schema, "type")
  const types = (Array.isArray(given) ? (given as ReadonlyArray<unknown>) : [given]).filter(
    (type) => type !== "null" && type !== undefined
  )
  if (types.length === 1) return types[0]
  if (types.length > 1) return types.every((type) => scalars.has(type)) ? "string" : undefined
  return typeOfValue(at(schema, "const") ?? listAt(schema, "enum").find((each) => each !== null))
}

const typeOfValue = (value: unknown): ScalarType | undefined => {
  if (typeof value === "string" || typeof value === "boolean") return typeof value as ScalarType
  if (typeof value !== "number") return undefined
  return Number.isInteger(value) ? "integer" : "number"
}

/** A name for the shape, for use in a sentence. */
export const called = (shape: Shape): string => {
  if (shape.kind === "scalar") return shape.type
  return shape.kind === "unknown" ? "anything" : shape.kind
}

export const formatOf = ({ schema }: Scalar): string => textAt(schema, "format")?.toLowerCase() ?? ""
