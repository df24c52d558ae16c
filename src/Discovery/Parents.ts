/**
 * Where the values come from that a list's path (or a required query parameter) needs: from the rows of another list,
 * its parent. `/projects/{project_id}/ipcs` is read once for each row of `/projects`. Pure.
 */
import { addressOf } from "./Operations.ts"
import { nameOf, plain, singular, singularName, words } from "../Domain/Names.ts"
import { type Draft, isParameter, ownerOf } from "./Drafts.ts"

export interface Parent {
  readonly draft: Draft
  /** By parameter: a field of the parent's record, or one of the parent's own parameters. */
  readonly parameters: ReadonlyMap<string, Filled>
  readonly reason: string
  readonly doubt: number
}

export type Filled = { readonly field: string } | { readonly parameter: string }

export interface Lineage {
  readonly parent?: Parent
  readonly problem?: string
}

export interface Lookup {
  /** By address. */
  readonly byAddress: ReadonlyMap<string, Draft>
  /** By the singular name of its records. */
  readonly byRecord: ReadonlyMap<string, Draft>
  readonly keyOf: (draft: Draft) => string | undefined
  /** Whether a field can fill a parameter. */
  readonly isScalar: (draft: Draft, field: string) => boolean
  /** The schema of single records at an address, by its name in the document. */
  readonly detailAt: (address: string) => string | undefined
}

export const known = (
  drafts: ReadonlyArray<Draft>,
  lookups: Pick<Lookup, "detailAt" | "isScalar" | "keyOf">
): Lookup => {
  const byRecord = new Map<string, Draft>()
  // Those that need the fewest parameters come first.
  for (const draft of drafts.toSorted((a, b) => a.segments.length - b.segments.length)) {
    const name = singularName(nameOf(draft.called, "list"))
    for (const each of [name, words(name).at(-1) ?? ""]) if (!byRecord.has(each)) byRecord.set(each, draft)
  }
  return { byAddress: new Map(drafts.map((draft) => [draft.address, draft])), byRecord, ...lookups }
}

/** `required`: query parameters that must have a value, and that may name a parent. */
export const lineageOf = (draft: Draft, all: Lookup, required: ReadonlyArray<string>): Lineage => {
  const { pathParameters } = draft
  const last = pathParameters.at(-1)
  if (last === undefined) {
    const [name] = required
    const owner = name === undefined ? undefined : named(all, name, draft)
    return name === undefined || owner === undefined ? {} : joined(draft, owner, [name], all, 1)
  }
  const before = beforeLast(draft.segments)
  const above = before === undefined ? undefined : all.byAddress.get(before)
  const called =
    above === undefined ? named(all, words(last).length > 1 ? last : `${ownerOf(draft)}_id`, draft) : undefined
  // Single records of two schemas are two kinds of record, regardless of names.
  const one = all.detailAt(`${before}/{}`)
  const other = called === undefined ? undefined : all.detailAt(`${called.address}/{}`)
  const isOther = one !== undefined && other !== undefined && one !== other
  const parent = above === draft || isOther ? undefined : (above ?? called)
  if (parent === undefined) return { problem: `Nothing lists the values of {${last}} in its path.` }
  return joined(draft, parent, pathParameters, all, above === undefined ? 1 : 0)
}

/** The address of the list from which the last parameter chooses. */
const beforeLast = (segments: ReadonlyArray<string>): string | undefined => {
  const last = segments.findLastIndex(isParameter)
  if (!/^\{[^{}]*\}$/.test(segments[last] ?? "")) return undefined
  return last <= 0 ? undefined : addressOf(`/${segments.slice(0, last).join("/")}`)
}

/** The list after which a parameter is named: contracts for `{contract_id}`. */
const named = ({ byRecord }: Lookup, parameter: string, draft: Draft): Draft | undefined => {
  const parts = words(parameter)
  const end = parts.at(-1) ?? ""
  const record = (/^(id|ids|uuid|guid|key|slug|number|no|code|gid|sid|name)$/.test(end) ? parts.slice(0, -1) : parts)
    .map(singular)
    .join("_")
  const found = record === "" ? undefined : byRecord.get(record)
  return found === draft ? undefined : found
}

const joined = (draft: Draft, parent: Draft, wanted: ReadonlyArray<string>, all: Lookup, doubt: number): Lineage => {
  const parameters = new Map<string, Filled>()
  const fields = new Map(parent.fields.map((field) => [plain(field.name), field.name]))
  const key = all.keyOf(parent)
  const last = wanted.at(-1) ?? ""
  let guessed = 0
  for (const [index, name] of wanted.entries()) {
    const shared = sharedParameter(draft, parent, index)
    const choice = name === last ? chosen(name, parent, fields, key) : { field: fields.get(plain(name)), doubt: 0 }
    const { field } = choice
    if (shared !== undefined) parameters.set(name, { parameter: shared })
    else if (field !== undefined && all.isScalar(parent, field)) parameters.set(name, { field })
    else return { problem: `Nothing lists the values of {${last}} in its path.` }
    guessed += choice.doubt
  }
  const read = `${parent.operation.method} ${parent.operation.path}`
  return { parent: { draft: parent, parameters, reason: `Read once for each row of ${read}.`, doubt: doubt + guessed } }
}

/** The parent's parameter at the same position of the same path. */
const sharedParameter = (draft: Draft, parent: Draft, index: number): string | undefined => {
  const name = parent.pathParameters[index]
  if (name === undefined) return undefined
  const isBelow = draft.address.startsWith(`${parent.address}/`)
  return isBelow || plain(name) === plain(draft.pathParameters[index] ?? "") ? name : undefined
}

interface Choice {
  readonly field: string | undefined
  readonly doubt: number
}

/** `{project_id}` is the key of projects, or a field of that name; `{issue_number}` is the number. */
const chosen = (name: string, parent: Draft, fields: ReadonlyMap<string, string>, key: string | undefined): Choice => {
  const exact = fields.get(plain(name))
  if (exact !== undefined && plain(name) !== "id") return { field: exact, doubt: 0 }
  const record = singular(words(parent.called).at(-1) ?? "")
  const [first, ...rest] = words(name)
  const short = first === record && rest.length > 0 ? fields.get(rest.join("")) : undefined
  if (short !== undefined) return { field: short, doubt: short === key ? 0 : 1 }
  if (isNaming(name)) return { field: key, doubt: 0 }
  // A parameter named only after the record is what people call the record by.
  const word = callings.find((each) => fields.has(each))
  return { field: word === undefined ? key : fields.get(word), doubt: 2 }
}

const callings = ["slug", "login", "handle", "username", "code", "key", "name"]

const isNaming = (parameter: string): boolean => /(id|uuid|guid|gid|sid|key)$/.test(plain(parameter))
