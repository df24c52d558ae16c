/**
 * Where the answer of a list puts the records and the facts about the page: side by side, the facts in an object of
 * their own, or only the records. The seed decides which, and whether the document gives the envelope a name.
 */
import type { Context } from "./Properties.ts"
import * as Properties from "./Properties.ts"
import type { Schema } from "./Kinds.ts"
import type { Style } from "./Paging.ts"
import type { Paging, Resource } from "./Table.ts"

export interface Envelope {
  readonly schema: Schema
  readonly fill: (records: ReadonlyArray<unknown>, facts: Readonly<Record<string, unknown>>) => unknown
}

/** The name of the records (`*`: the resource's own) and the name of the facts; without names: only the records. */
type Layout = readonly [records?: string, facts?: string]

const layouts: Readonly<Record<Paging, readonly [Layout, ...ReadonlyArray<Layout>]>> = {
  page: [["data", "pagination"], ["data", "pagination"], ["data", "meta"], ["*"]],
  more: [["results"], ["data", "pagination"]],
  cursor: [["data"], ["items"], ["data", "paging"]],
  link: [[]],
  offset: [["items"], ["data", "meta"]],
  whole: [[], ["data"], ["*"]]
}

export const make = (context: Context, resource: Resource, { facts }: Style, listed: Schema): Envelope => {
  const { components, spelling } = context
  const [records, apart] = spelling.chosen(`envelope of ${resource.name}`, layouts[resource.paging])
  const items = { type: "array", items: listed }
  if (records === undefined) return { schema: items, fill: (records) => records }
  const key = records === "*" ? resource.name : records
  const required = Object.keys(facts)
  const said = apart === undefined ? facts : { [apart]: { type: "object", required, properties: facts } }
  const schema = { type: "object", required: [key, ...Object.keys(said)], properties: { [key]: items, ...said } }
  const name = `${Properties.pascal(resource.one)}${spelling.chosen(`envelope of ${resource.tag}`, ["List", "Page", "Answer"])}`
  const isNamed = spelling.chance(`${name} has a name`, 0.6)
  if (isNamed) components.set(name, schema)
  return {
    schema: isNamed ? Properties.reference(name) : schema,
    fill: (records, facts) => ({ [key]: records, ...(apart === undefined ? facts : { [apart]: facts }) })
  }
}
