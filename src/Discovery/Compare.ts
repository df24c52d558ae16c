/**
 * What changed between two documents, for a person who keeps tables from the first: what is safe, what isn't (a walk or
 * a table would have to change), what is new and what is gone. Pure.
 */
import type { Discovered, Found } from "./Discovery.ts"
import { addressOf } from "./Operations.ts"
import type { Column, List, Paging } from "./Review.ts"

export type Verdict = "unsafe" | "gone" | "new" | "safe"

export interface Difference {
  readonly verdict: Verdict
  /** The operation. */
  readonly of: string
  /** In words. */
  readonly what: string
}

type Said = ReadonlyArray<readonly [verdict: Verdict, what: string]>

export const compare = (before: Discovered, after: Discovered): ReadonlyArray<Difference> => {
  const [old, now] = [byAddress(before), byAddress(after)]
  const lists = new Map(before.review.lists.map((list) => [addressOf(list.read), list]))
  const changes: Array<Difference> = []
  for (const [address, found] of now) {
    const known = old.get(address)
    if (known === undefined) changes.push({ verdict: "new", of: found.operation, what: `it is new: ${one(found)}` })
    else if (known.kind !== found.kind) changes.push(otherKind(known, found))
  }
  for (const [address, found] of old) {
    if (!now.has(address)) changes.push({ verdict: "gone", of: found.operation, what: `it is gone: ${one(found)}` })
  }
  for (const list of after.review.lists) {
    const known = lists.get(addressOf(list.read))
    if (known === undefined) continue
    for (const [verdict, what] of between(known, list)) changes.push({ verdict, of: list.read, what })
  }
  return changes.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
}

export const order: ReadonlyArray<Verdict> = ["unsafe", "gone", "new", "safe"]

const byAddress = ({ operations }: Discovered): ReadonlyMap<string, Found> =>
  new Map(operations.map((found) => [addressOf(found.operation), found]))

const one = ({ kind }: Found): string =>
  kind === "not syncable" ? kind : `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`

const isList = ({ kind }: Found): boolean => kind === "list" || kind === "child list"

const otherKind = (known: Found, found: Found): Difference => ({
  verdict: isList(known) ? "unsafe" : "safe",
  of: found.operation,
  what: `was ${known.kind}, is ${found.kind}: ${found.reasons[0] ?? ""}`
})

const words = (names: ReadonlyArray<string>): string => (names.length === 0 ? "nothing" : names.join(", "))

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const between = (old: List, now: List): Said => [
  ...(same(old.key, now.key) ? [] : [["unsafe", `its key was ${words(old.key)}, is ${words(now.key)}`] as const]),
  ...(old.answer.rows === now.answer.rows
    ? []
    : [["unsafe", `its rows were at "${old.answer.rows}", are at "${now.answer.rows}"`] as const]),
  ...total(old.answer.total, now.answer.total),
  ...paging(old.paging, now.paging),
  ...sent("parameter", old.query, now.query),
  ...sent("header", old.headers, now.headers),
  ...scopes(old.scope, now.scope),
  ...(same(Object.keys(old.parent?.parameters ?? {}).length, Object.keys(now.parent?.parameters ?? {}).length)
    ? []
    : [["unsafe", "its parent is another"] as const]),
  ...filter(old, now),
  ...columns(old.columns, now.columns),
  ...nested(old.nested, now.nested)
]

const nested = (old: List["nested"] = [], now: List["nested"] = []): Said => {
  const before = new Map(old.map((each) => [each.column, each.columns]))
  const after = new Set(now.map(({ column }) => column))
  return [
    ...now.flatMap(({ column, columns: those }): Said => {
      const known = before.get(column)
      if (known === undefined) return [["safe", `${column} has a list of objects now`]]
      return columns(known, those).map(([verdict, what]) => [verdict, `in ${column}, ${what}`])
    }),
    ...old
      .filter(({ column }) => !after.has(column))
      .map(({ column }) => unsafe(`${column} has no list of objects any more`))
  ]
}

const total = (old: string | undefined, now: string | undefined): Said => {
  if (old === now) return []
  if (old === undefined) return [["safe", `it has a total now, at ${now}`]]
  return [["unsafe", now === undefined ? "it has no total any more" : `its total was at ${old}, is at ${now}`]]
}

const paging = (old: Paging, now: Paging): Said => {
  const { largest: before, ...was } = { largest: undefined, ...old }
  const { largest: most, ...is } = { largest: undefined, ...now }
  return [
    ...(same(was, is)
      ? []
      : [["unsafe", `it was paged as ${JSON.stringify(was)}, is as ${JSON.stringify(is)}`] as const]),
    ...(before === most
      ? []
      : [["safe", `its largest page was ${before ?? "not said"}, is ${most ?? "not said"}`] as const])
  ]
}

type Values = List["query"]

const sent = (what: string, old: Values = {}, now: Values = {}): Said =>
  Object.keys(now).flatMap((name) => {
    if (Object.hasOwn(old, name)) return []
    const value = now[name]
    return [
      value === null ? ["unsafe", `it requires the ${what} ${name} now`] : ["safe", `the ${what} ${name} is sent now`]
    ] as const
  })

const scopes = (old: ReadonlyArray<string>, now: ReadonlyArray<string>): Said => {
  const more = now.filter((scope) => !old.includes(scope))
  return more.length === 0 ? [] : [["unsafe", `it needs the scope ${more.join(", ")} now`]]
}

const filter = ({ refresh: old }: List, { refresh: now }: List): Said => {
  if (old.changed?.parameter === now.changed?.parameter) return []
  if (now.changed === undefined) return [["unsafe", `the filter ${old.changed?.parameter ?? ""} is gone`]]
  return [["safe", `it can be asked for what changed, by ${now.changed.parameter}`]]
}

const sourceOf = ({ from, name, parameter }: Column): string => parameter ?? from ?? `/${name}`

const columns = (old: ReadonlyArray<Column>, now: ReadonlyArray<Column>): Said => {
  const before = new Map(old.map((column) => [sourceOf(column), column]))
  const after = new Set(now.map(sourceOf))
  return [
    ...now.flatMap((column) => ofColumn(before.get(sourceOf(column)), column)),
    ...old.filter((column) => !after.has(sourceOf(column))).map(({ name }) => unsafe(`it has no ${name} any more`))
  ]
}

const ofColumn = (known: Column | undefined, { name, type }: Column): Said => {
  if (known === undefined) return [["safe", `it has ${name} ${type} now`]]
  return known.type === type ? [] : [unsafe(`${name} was ${known.type}, is ${type}`)]
}

const unsafe = (what: string) => ["unsafe", what] as const
