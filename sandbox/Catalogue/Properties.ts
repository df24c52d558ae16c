/**
 * Fields in the notation of `Fields.ts` as properties of a JSON Schema, with random values for each. The seed decides
 * how money is written, whether the texts of a field have a schema of their own, and how a missing value is shown: the
 * field is absent, or it is `null`, which documents allow in several ways.
 */
import type { Dice } from "../Seed.ts"
import type { Field } from "./Fields.ts"
import * as Kinds from "./Kinds.ts"
import { type Schema, type Typed } from "./Kinds.ts"
import * as Shapes from "./Shapes.ts"
import type { Spelling } from "./Spelling.ts"

export interface Property extends Typed {
  readonly name: string
  readonly isRequired: boolean
}

/** The schemas that are referred to by name, added when they are first needed. */
export type Components = Map<string, Schema>

export interface Context {
  readonly spelling: Spelling
  readonly components: Components
  /** The shared shapes, added when they are first needed. */
  readonly shapes: Map<string, Typed>
  /** The type of a resource's ids. */
  readonly idOf: (resource: string) => Typed
}

/** `daily_log` in the style of type names. */
export const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const textsOf = (
  { components, spelling }: Context,
  owner: string,
  name: string,
  texts: ReadonlyArray<string>
): Typed => {
  const [first = "", ...others] = texts
  const schema = { type: "string", enum: texts }
  const value = (dice: Dice) => dice.pick([first, ...others])
  if (!spelling.chance(`${owner}.${name} has a schema of its own`, 0.3)) return { schema, value }
  const own = pascal(`${owner}_${name}`)
  components.set(own, schema)
  return { schema: reference(own), value }
}

const typedOf = (context: Context, owner: string, { kind, name }: Field): Typed => {
  switch (kind._tag) {
    case "OneOf":
      return textsOf(context, owner, name, kind.texts)
    case "Always":
      return { schema: { type: "string", const: kind.text }, value: () => kind.text }
    case "IdOf":
      return context.idOf(kind.resource)
    case "Shape":
      return shaped(context, kind.name)
    case "Plain": {
      if (kind.name !== "money") return Kinds.plain(kind.name)
      const written = context.spelling.chosen(`money of ${owner}`, ["amount", "decimal", "Money"])
      return written === "Money" ? shaped(context, written) : Kinds.plain(written)
    }
  }
}

const listOf = (items: Typed, depth: number): Typed =>
  depth === 0
    ? items
    : listOf(
        {
          schema: { type: "array", items: items.schema },
          value: (dice, room) =>
            room === 0 ? [] : Array.from({ length: dice.below(4) }, () => items.value(dice, room - 1))
        },
        depth - 1
      )

const without = [
  "missing",
  "missing",
  "missing",
  "type",
  "type",
  "anyOf",
  "anyOf",
  "oneOf",
  "nullable",
  "both"
] as const

/** Refers to another schema, or has several types: no type can be added to it. */
const isComposed = ({ anyOf, oneOf, $ref }: Schema): boolean => [anyOf, oneOf, $ref].some((part) => part !== undefined)

const orNull = (schema: Schema, how: (typeof without)[number]): Schema => {
  if (how === "missing") return schema
  if (how === "oneOf") return { oneOf: [schema, { type: "null" }] }
  if (how === "anyOf" || isComposed(schema)) return { anyOf: [schema, { type: "null" }] }
  const { enum: texts, type } = schema
  if (Array.isArray(texts)) return { ...schema, type: [type, "null"], enum: [...texts, null] }
  return how === "nullable" ? { ...schema, nullable: true } : { ...schema, type: [type, "null"] }
}

const property = (context: Context, owner: string, field: Field): Property => {
  const { name } = field
  const { schema, value } = listOf(typedOf(context, owner, field), field.depth)
  if (!field.isOptional) return { name, isRequired: true, schema, value }
  const how = context.spelling.chosen(`no value of ${owner}.${name}`, without)
  return {
    name,
    isRequired: how !== "missing" && how !== "both",
    schema: orNull(schema, how),
    value: (dice, room) => {
      if (room > 0 && dice.chance(0.7)) return value(dice, room - 1)
      if (how === "missing") return undefined
      return how === "both" && dice.chance(0.5) ? undefined : null
    }
  }
}

/** `owner`: the name of the resource or shape that has the fields. */
export const of = (context: Context, owner: string, fields: ReadonlyArray<Field>): ReadonlyArray<Property> =>
  fields.map((field) => property(context, owner, field))

export const object = (properties: ReadonlyArray<Property>): Schema => {
  const required = properties.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: "object",
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(properties.map(({ name, schema }) => [name, schema]))
  }
}

export const valueOf =
  (properties: ReadonlyArray<Property>): Typed["value"] =>
  (dice, room) =>
    Object.fromEntries(
      properties.flatMap(({ name, value }) => {
        const made = value(dice, room)
        return made === undefined ? [] : [[name, made]]
      })
    )

/** A shared shape, by reference. It may contain itself. */
export const shaped = (context: Context, name: string): Typed => {
  const known = context.shapes.get(name)
  if (known !== undefined) return known
  const typed: Typed = { schema: reference(name), value: (dice, room) => value(dice, room) }
  context.shapes.set(name, typed)
  const [schema, value] = described(context, name, Shapes.shape(name))
  context.components.set(name, schema)
  return typed
}

/** Maps the constant text in the distinguishing field to each schema. */
const mappingOf = (names: ReadonlyArray<string>, by: string): Schema =>
  Object.fromEntries(
    names.flatMap((name) => {
      const shape = Shapes.shape(name)
      const field = shape._tag === "Object" ? shape.fields.find((each) => each.name === by) : undefined
      return field?.kind._tag === "Always" ? [[field.kind.text, `#/components/schemas/${name}`]] : []
    })
  )

const described = (context: Context, name: string, shape: Shapes.Shape): readonly [Schema, Typed["value"]] => {
  switch (shape._tag) {
    case "Same": {
      const other = shaped(context, shape.as)
      return [other.schema, other.value]
    }
    case "Object": {
      const properties = of(context, name, shape.fields)
      return [object(properties), valueOf(properties)]
    }
    case "More": {
      const than = shaped(context, shape.than)
      const properties = of(context, name, shape.fields)
      const value: Typed["value"] = (dice, room) =>
        Object.assign({}, than.value(dice, room), valueOf(properties)(dice, room))
      return [{ allOf: [than.schema, object(properties)] }, value]
    }
    case "Either": {
      const [first, ...others] = shape.of.map((each) => shaped(context, each))
      if (first === undefined) throw new Error(`The shape ${name} is nothing.`)
      const oneOf = [first, ...others].map(({ schema }) => schema)
      const { by } = shape
      const discriminator =
        by === undefined ? {} : { discriminator: { propertyName: by, mapping: mappingOf(shape.of, by) } }
      return [{ oneOf, ...discriminator }, (dice, room) => dice.pick([first, ...others]).value(dice, room)]
    }
  }
}
