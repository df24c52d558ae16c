/**
 * Makes an entry in the review file for each list that was found: its key, its parent, its columns, its paging and what
 * is sent. A list that can't be synced as it is still has an entry, with what a person must settle. Pure.
 */
import { entityNames } from "../Domain/Resource.ts"
import { costsOf, everyOf, type Plan } from "./Cost.ts"
import type { Doubts } from "./Doubts.ts"
import type { Draft } from "./Drafts.ts"
import { Family, type Kin, type Member } from "./Family.ts"
import { nameOf, type Operation } from "./Operations.ts"
import type { Found as Paged } from "./Paging.ts"
import { changedBy, sentWith } from "./Requests.ts"
import type { List } from "./Review.ts"
import { offered } from "./Review/LookUp.ts"
import * as Nested from "./Review/Nested.ts"

export interface Context extends Kin {
  readonly plan: Plan
  /** Paths of lists that may start switched on. */
  readonly shown: ReadonlySet<string>
}

export const listsOf = (context: Context, drafts: ReadonlyArray<Draft>): ReadonlyArray<List> => {
  const family = new Family(context, drafts)
  const lists = withNested(context, drafts, withParents(drafts.map((draft) => entryOf(context, family, draft))))
  const costs = costsOf(lists, context.plan)
  return lists.map((list) => priced(list, costs.get(list.table) ?? list.walk))
}

const priced = (list: List, walk: List["walk"]): List => {
  const { changed } = list.refresh
  const every = everyOf(walk)
  const whole = every === "1 hour" ? "1 day" : every
  return {
    ...list,
    walk,
    refresh: changed === undefined ? { every } : { every: "1 hour", changed: { ...changed, whole } }
  }
}

/** Adds what lists inside its records may become. */
const withNested = (
  { shapes, taken }: Context,
  drafts: ReadonlyArray<Draft>,
  lists: ReadonlyArray<List>
): ReadonlyArray<List> => {
  const names = new Set([...taken, ...entityNames, ...lists.map(({ table }) => table)])
  let columns = 0
  return lists.map((list, place) => {
    const { fields = [] } = drafts[place] ?? {}
    const nested = columns > mostNested ? [] : Nested.offered(shapes, { fields, list, taken: names })
    for (const each of nested) columns += each.columns.length
    if (nested.length === 0) return list
    const reason = `Lists inside its records may be tables, too: ${nested.map(({ column }) => column).join(", ")}.`
    return { ...list, reasons: [...list.reasons, reason], nested }
  })
}

/** Columns in total: more than any service has. */
const mostNested = 50_000

/** A child can't be read without its parent's rows. */
const withParents = (lists: ReadonlyArray<List>): ReadonlyArray<List> => {
  const byTable = new Map(lists.map((list) => [list.table, list]))
  const why = (list: List, depth: number): string | undefined => {
    const above = list.parent === undefined ? undefined : byTable.get(list.parent.table)
    if (above === undefined || depth > byTable.size) return undefined
    return above.kind === "not syncable" || why(above, depth + 1) !== undefined ? above.read : undefined
  }
  return lists.map((list) => {
    const parent = why(list, 0)
    if (parent === undefined) return list
    const problems = [...(list.problems ?? []), `Its parent, ${parent}, can't be synced.`]
    return { ...list, on: false, kind: "not syncable", problems }
  })
}

const entryOf = (context: Context, family: Family, draft: Draft): List => {
  const { doubts, envelope, operation } = draft
  const paged = family.paged(draft)
  const member = family.member(draft, family.lineage(draft, paged))
  const { parent } = member.lineage
  const { headers, query } = judged(family, draft, member, paged)
  const same = family.sameAs(draft)
  const changed = changedBy(operation, member.columns, "1 day")
  const detail = context.details.get(`${draft.address}/{}`) ?? context.details.get(`/${draft.segments.at(-1)}/{}`)
  const isSyncable = doubts.problems.length === 0
  const isReady = isSyncable && doubts.needs.length === 0 && parent === undefined
  const { page, size, total } = envelope.places
  return {
    read: nameOf(operation),
    on: isReady && context.shown.has(operation.path),
    kind: !isSyncable ? "not syncable" : parent === undefined ? "list" : "child list",
    table: family.tableOf(draft),
    key: member.keyColumns,
    ...given({ parent: parent === undefined ? undefined : family.parentOf(parent) }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    answer: { rows: envelope.rows, ...given({ total, page, size }) },
    paging: pagingBy(paged, member),
    scope: operation.scopes,
    refresh: { every: "1 hour", ...given({ changed }) },
    walk: { records: 0, requests: 0, minutes: 0 },
    ...given({
      detail: detail === undefined ? undefined : nameOf(detail),
      lookUp: lookUpOf(context, family.tableOf(draft), member, detail),
      sameAs: same === undefined ? undefined : family.tableOf(same)
    }),
    confidence: doubts.confidence,
    reasons: doubts.reasons,
    ...(isSyncable ? {} : { problems: doubts.problems }),
    ...(doubts.needs.length === 0 ? {} : { needs: doubts.needs }),
    columns: member.columns
  }
}

const lookUpOf = ({ shapes }: Context, table: string, { key }: Member, detail: Operation | undefined): List["lookUp"] =>
  detail === undefined || "problem" in detail.answer || "problem" in key
    ? undefined
    : offered(shapes, { answer: detail.answer.shape, key: key.field.name, table })

type Given<A> = { readonly [Name in keyof A]?: Exclude<A[Name], undefined> }

const given = <A extends object>(values: A): Given<A> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<A>

const pagingBy = ({ paging }: Paged, { keyColumns }: Member): List["paging"] => {
  const last = keyColumns.at(-1)
  return paging.style === "after" && last !== undefined ? { ...paging, column: last } : paging
}

/** Collects what speaks for and against the entry; on the way, finds what is sent with its requests. */
const judged = (family: Family, draft: Draft, { key, keyColumns, lineage, made }: Member, paged: Paged) => {
  const { doubts, envelope, operation } = draft
  if ("problem" in key) doubts.fail(key.problem)
  else doubts.because(keyColumns.length > 1 ? `${key.reason.slice(0, -1)} within its parent.` : key.reason, key.doubt)
  for (const reason of paged.reasons) doubts.because(reason)
  const { total } = envelope.places
  doubts.because(
    total === undefined ? "No total is shown, so a copy can't be proven." : `The total is at ${total}.`,
    paged.doubt
  )
  fail(doubts, paged.problem)
  fail(doubts, lineage.problem)
  const filled = [...paged.taken, ...(lineage.parent?.parameters.keys() ?? [])]
  const isNumbered = ["page", "offset"].includes(paged.paging.style)
  const sent = sentWith(operation, new Set(filled), isNumbered, doubts)
  if (lineage.parent !== undefined) doubts.because(lineage.parent.reason, lineage.parent.doubt)
  const reason = family.named(draft)?.reason
  if (reason !== undefined) doubts.because(reason)
  const same = family.sameAs(draft)
  if (same !== undefined) doubts.because(`It may be the same records as ${nameOf(same.operation)}.`)
  for (const each of made.reasons) doubts.because(each)
  return sent
}

const fail = (doubts: Doubts, problem: string | undefined): void => {
  if (problem !== undefined) doubts.fail(problem)
}
