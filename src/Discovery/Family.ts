/**
 * How the lists of a document belong together: the table and the key of each, its parent, and the columns that it takes
 * from its parents' values. Pure.
 */
import { resources } from "../Domain/Resource.ts"
import { type Made, columnsOf } from "./Columns.ts"
import { type Draft, ownerOf, parametersIn } from "./Drafts.ts"
import { isSurest, type Key, keyOf } from "./Keys.ts"
import { free, nameOf, plain, singularName, words } from "../Domain/Names.ts"
import type { Operation } from "./Operations.ts"
import { type Found as Paged, pagingOf } from "./Paging.ts"
import { known, type Lineage, lineageOf, type Parent } from "./Parents.ts"
import { requiredOf } from "./Requests.ts"
import type { Column, List } from "./Review.ts"
import type { Shapes } from "./Shape.ts"
import { type Named, tablesOf } from "./Tables.ts"

export interface Kin {
  readonly shapes: Shapes
  /** Operations for single records, by address. */
  readonly details: ReadonlyMap<string, Operation>
  /** Names of siteledger's own tables and views, other than those of its resources. */
  readonly taken: ReadonlySet<string>
}

export interface Member {
  readonly key: Key
  readonly made: Made
  /** By parameter: columns for the parameters of the path. */
  readonly added: ReadonlyMap<string, Column>
  readonly lineage: Lineage
  readonly columns: ReadonlyArray<Column>
  readonly keyColumns: ReadonlyArray<string>
}

export class Family {
  readonly #context: Kin
  readonly #tables: ReadonlyMap<Draft, Named>
  readonly #keys: ReadonlyMap<Draft, Key>
  readonly #byItem: ReadonlyMap<string, Draft>
  readonly #members = new Map<Draft, Member>()
  #columns = 0
  readonly #known: ReturnType<typeof known>

  constructor(context: Kin, drafts: ReadonlyArray<Draft>) {
    this.#context = context
    this.#keys = new Map(drafts.map((draft) => [draft, this.#keyOf(draft)]))
    this.#tables = tablesOf(drafts, context.taken, (draft) => {
      const key = this.#keys.get(draft)
      return key === undefined || "problem" in key ? undefined : key.type
    })
    this.#byItem = new Map(
      drafts
        .filter(({ envelope, pathParameters }) => envelope.item.ref !== undefined && pathParameters.length === 0)
        .toSorted((a, b) => b.segments.length - a.segments.length)
        .map((draft) => [draft.envelope.item.ref ?? "", draft])
    )
    this.#known = known(drafts, {
      isScalar: (draft, field) => {
        const found = draft.fields.find(({ name }) => name === field)
        return found !== undefined && context.shapes.of(found.schema).kind === "scalar"
      },
      detailAt: (address) => {
        const answer = context.details.get(address)?.answer
        return answer === undefined || "problem" in answer || answer.shape.kind !== "object"
          ? undefined
          : answer.shape.ref
      },
      keyOf: (draft) => {
        const key = this.#keys.get(draft)
        return key === undefined || "problem" in key ? undefined : key.field.name
      }
    })
  }

  #keyOf(draft: Draft): Key {
    const detail = this.#context.details.get(`${draft.address}/{}`)
    const parameter = detail === undefined ? undefined : parametersIn(detail.path).at(-1)
    const record = singularName(nameOf(draft.called, "list"))
    return keyOf(this.#context.shapes, draft.fields, { record, parameter, parents: draft.pathParameters })
  }

  named(draft: Draft): Named | undefined {
    return this.#tables.get(draft)
  }

  tableOf(draft: Draft): string {
    return this.#tables.get(draft)?.table ?? "list"
  }

  member(draft: Draft, lineage: Lineage): Member {
    const made = this.#members.get(draft)
    if (made !== undefined) return made
    const key = this.#keys.get(draft) ?? { problem: "It has no key." }
    const table = this.tableOf(draft)
    const ours = Object.hasOwn(resources, table) ? resources[table as keyof typeof resources] : undefined
    const field = "problem" in key ? undefined : key.field.name
    const most = this.#columns > mostInAll ? mostThen : mostOfOne
    const columns = columnsOf(this.#context.shapes, draft.fields, { known: ours, key: field, most })
    this.#columns += columns.columns.length
    const added = lineage.parent === undefined ? new Map<string, Column>() : this.#added(draft, lineage.parent, columns)
    const own = field === undefined ? undefined : columns.byField.get(field)
    const isAlone = ours !== undefined || this.#isAlone(draft, lineage)
    const part: Member = {
      key,
      made: columns,
      added,
      lineage,
      columns: [
        ...columns.columns,
        ...[...added.values()].filter(({ name }) => !columns.columns.some((each) => each.name === name))
      ],
      keyColumns: own === undefined ? [] : isAlone ? [own] : [...[...added.values()].map(({ name }) => name), own]
    }
    this.#members.set(draft, part)
    return part
  }

  /** One column for each parameter, unless the record has such a field. */
  #added(draft: Draft, { draft: above, parameters }: Parent, { byField, columns }: Made): ReadonlyMap<string, Column> {
    const taken = new Set(columns.map(({ name }) => name))
    const fields = new Map([...byField].map(([field, column]) => [plain(field), column]))
    return new Map(
      [...parameters].map(([parameter, filled]) => {
        const higher = "parameter" in filled ? this.#members.get(above)?.added.get(filled.parameter)?.name : undefined
        const owner = ownerOf(draft)
        const wanted = higher ?? (isOf(parameter, owner) ? parameter : `${owner}_${parameter}`)
        const existing = columns.find(({ name }) => name === fields.get(plain(wanted)))
        if (existing !== undefined) return [parameter, existing]
        const name = free(nameOf(wanted, "parameter"), taken)
        taken.add(name)
        return [parameter, { name, type: this.#typeOf(above, filled), use: "keep" as const, parameter }]
      })
    )
  }

  #typeOf(above: Draft, filled: { readonly field: string } | { readonly parameter: string }): Column["type"] {
    const part = this.#members.get(above)
    if (part === undefined) return "VARCHAR"
    if ("parameter" in filled) return part.added.get(filled.parameter)?.type ?? "VARCHAR"
    const name = part.made.byField.get(filled.field)
    return part.columns.find((column) => column.name === name)?.type ?? "VARCHAR"
  }

  /** Whether a record belongs to only one parent: the record names its parent, or can be found without it. */
  #isAlone(draft: Draft, { parent }: Lineage): boolean {
    if (parent === undefined) return true
    const key = this.#keys.get(draft)
    const isOwn = key !== undefined && !("problem" in key) && isSurest(key.field.name)
    const names = new Set(draft.fields.map(({ name }) => plain(name)))
    const owner = ownerOf(draft)
    const last = draft.pathParameters.at(-1) ?? ""
    const namesParent =
      names.has(plain(`${owner}_id`)) || (last.length > 2 && isOf(last, owner) && names.has(plain(last)))
    return (isOwn && namesParent) || this.#context.details.has(`/${draft.segments.at(-1)}/{}`)
  }

  lineage(draft: Draft, paged: Paged, depth = 0): Lineage {
    const known = this.#members.get(draft)
    if (known !== undefined) return known.lineage
    const found = lineageOf(draft, this.#known, requiredOf(draft.operation, paged.taken))
    if (found.parent === undefined) return found
    if (depth > deepestFamily) return { problem: "Its parents need each other's values." }
    const above = found.parent.draft
    const paging = this.paged(above)
    // Processed first, so that its columns are known before those that are filled from them.
    this.member(above, this.lineage(above, paging, depth + 1))
    return found
  }

  paged(draft: Draft): Paged {
    const key = this.#keys.get(draft)
    const field = key === undefined || "problem" in key ? [] : [key.field.name]
    return pagingOf(draft.operation, draft.envelope, field)
  }

  sameAs(draft: Draft): Draft | undefined {
    const { ref } = draft.envelope.item
    const found = ref === undefined ? undefined : this.#byItem.get(ref)
    return found === draft ? undefined : found
  }

  /** By parameter: the column of the parent's table. */
  parentOf({ draft, parameters }: Parent): NonNullable<List["parent"]> {
    const part = this.#members.get(draft)
    const columns = [...parameters].map(([name, filled]) => {
      const column =
        "parameter" in filled ? part?.added.get(filled.parameter)?.name : part?.made.byField.get(filled.field)
      return [name, column ?? "id"] as const
    })
    return { table: this.tableOf(draft), parameters: Object.fromEntries(columns) }
  }
}

const deepestFamily = 12

/** Columns per table and in total: fewer than an engine allows per table, and in total more than any service has. */
const [mostOfOne, mostInAll, mostThen] = [500, 500_000, 20]

/** `project_id` is named after a project; `id` and `code` aren't. */
const isOf = (parameter: string, owner: string): boolean =>
  owner !== "" && plain(parameter).includes(plain(words(owner).at(-1) ?? owner))
