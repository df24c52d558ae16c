/**
 * What a record of a resource looks like: its JSON Schemas, and how its fields are made. The seed decides how the
 * schema is built: as one object, as an object combined with timestamps that many records share, or as a summary for
 * the list and the rest for single records.
 */
import type { Context, Property } from "./Properties.ts"
import * as Properties from "./Properties.ts"
import type { Schema } from "./Kinds.ts"
import type { Resource } from "./Table.ts"

export interface RecordType {
  /** The random fields, without the id, the parent's id and the timestamps. */
  readonly own: ReadonlyArray<Property>
  /** The field that holds the parent's id; undefined: there is no parent. */
  readonly parentField: string | undefined
  /** The fields that say when a record was created and last changed, if it has them. */
  readonly times: { readonly created: string; readonly updated: string } | undefined
  /** The fields that a list shows; undefined: all fields. */
  readonly summary: ReadonlySet<string> | undefined
  readonly listed: Schema
  readonly single: Schema
  /** The schemas of the bodies that create and change a record. */
  readonly toCreate: Schema
  readonly toChange: Schema
  /** Fields that are required to create one. */
  readonly needed: ReadonlyArray<string>
}

const time: Schema = { type: "string", format: "date-time" }

const fixed = (name: string, schema: Schema): Property => ({ name, schema, isRequired: true, value: () => undefined })

/** The schemas of the bodies that create or change a record. */
const inputs = ({ components }: Context, name: string, does: ReadonlyArray<string>, own: ReadonlyArray<Property>) => {
  const isMade = does.includes("create") || does.includes("replace")
  if (!isMade && !does.includes("update")) return { toCreate: {}, toChange: {}, needed: [] }
  components.set(`${name}Input`, Properties.object(own.map((each) => ({ ...each, isRequired: false }))))
  const needed = own.filter(({ isRequired, schema }) => isRequired && schema["type"] === "string").slice(0, 2)
  const toChange = Properties.reference(`${name}Input`)
  if (!isMade || needed.length === 0) return { toChange, toCreate: toChange, needed: [] }
  components.set(`New${name}`, { allOf: [toChange, Properties.object(needed)] })
  return {
    toChange,
    toCreate: Properties.reference(`New${name}`),
    needed: needed.map((property) => property.name)
  }
}

type Composition = "one" | "tracked" | "summary"

const composed = (
  { components }: Context,
  name: string,
  description: string,
  { how, head, times }: { how: Composition; head: ReadonlyArray<Property>; times: ReadonlyArray<Property> },
  own: ReadonlyArray<Property>
) => {
  const single = Properties.reference(name)
  if (how === "summary") {
    const half = Math.ceil(own.length / 2)
    const shown = [...head, ...own.slice(0, half), ...times]
    const listed = Properties.reference(`${name}Summary`)
    components.set(`${name}Summary`, Properties.object(shown))
    components.set(name, { description, allOf: [listed, Properties.object(own.slice(half))] })
    return { listed, single, summary: new Set(shown.map((each) => each.name)) }
  }
  if (how === "tracked" && times.length > 0) {
    const tracked = `Tracked${Properties.pascal(times[1]?.name ?? "")}`
    components.set(tracked, Properties.object(times))
    components.set(name, {
      description,
      allOf: [Properties.reference(tracked), Properties.object([...head, ...own])]
    })
  } else components.set(name, { description, ...Properties.object([...head, ...own, ...times]) })
  return { listed: single, single, summary: undefined }
}

export const make = (
  context: Context,
  resource: Resource,
  parent: { readonly one: string; readonly name: string } | undefined
): RecordType => {
  const { spelling } = context
  const name = Properties.pascal(resource.one)
  const own = Properties.of(context, name, resource.fields)
  const hasParent = parent !== undefined && spelling.chance(`${name} names its parent`, 0.75)
  const parentField = hasParent ? `${parent.one}_id` : undefined
  const updated = spelling.chance(`times of ${resource.tag}`, 0.75) ? "updated_at" : "modified_at"
  const times = spelling.chance(`${name} has times`, 0.85) ? { created: "created_at", updated } : undefined
  const head = [
    fixed(resource.id.name, { ...context.idOf(resource.name).schema, readOnly: true }),
    ...(parentField === undefined ? [] : [fixed(parentField, context.idOf(parent?.name ?? "").schema)])
  ]
  const shownTimes = times === undefined ? [] : [fixed(times.created, time), fixed(times.updated, time)]
  // A summary needs another operation that shows the whole record.
  const some: Composition = resource.does.includes("get") ? "summary" : "one"
  const how = spelling.chosen<Composition>(`composition of ${name}`, ["one", "one", "tracked", some])
  return {
    own,
    parentField,
    times,
    ...composed(
      context,
      name,
      `${resource.aNoun[0]?.toUpperCase()}${resource.aNoun.slice(1)}.`,
      { how, head, times: shownTimes },
      own
    ),
    ...inputs(context, name, resource.does, own)
  }
}
