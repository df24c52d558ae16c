/**
 * The table of each list: named after the end of its path, and also after its parent if two lists would otherwise have
 * the same table, or if the end alone says little (`lines`, `comments`). No two lists have the same table. Pure.
 */
import { resources } from "../Domain/Resource.ts"
import { type Draft, isParameter, ownerOf } from "./Drafts.ts"
import { free, nameOf, words } from "../Domain/Names.ts"

/** These say nothing without an owner. */
const general = new Set(
  "items lines line_items comments notes attachments files images history events members users entries values versions activities logs changes links tags labels steps tasks details parts children rows options settings permissions roles messages documents photos revisions".split(
    " "
  )
)

type KeyType = (draft: Draft) => "BIGINT" | "VARCHAR" | undefined

/** Whether records with such a key can be rows of an existing siteledger table. */
const fits = (table: string, key: ReturnType<KeyType>): boolean => {
  const ours = Object.hasOwn(resources, table) ? resources[table as keyof typeof resources].key : undefined
  return ours === undefined || ours === key || ours === "VARCHAR"
}

/** The names that a draft may have, most natural first. */
const namesOf = (draft: Draft): ReadonlyArray<string> => {
  const { called, segments } = draft
  const own = nameOf(called, "list")
  const owner = ownerOf(draft)
  const whole = nameOf(
    segments
      .filter((segment) => !isParameter(segment))
      .flatMap(words)
      .join("_"),
    "list"
  )
  const known = words(called).at(-1) ?? ""
  const ours = Object.hasOwn(resources, known) && !Object.hasOwn(resources, own) ? [known] : []
  const owned =
    owner === "" || segments.every((segment) => !isParameter(segment)) ? [] : [nameOf(`${owner}_${called}`, "list")]
  return [...new Set(owned.length > 0 && general.has(own) ? [...owned, own, whole] : [...ours, own, ...owned, whole])]
}

export interface Named {
  readonly table: string
  /** Why it isn't the plain name. */
  readonly reason?: string
}

/** `taken`: names of siteledger's tables and views other than those of its resources. */
export const tablesOf = (
  drafts: ReadonlyArray<Draft>,
  taken: ReadonlySet<string>,
  keyOf: KeyType
): ReadonlyMap<Draft, Named> => {
  const found = new Map<Draft, Named>()
  const used = new Set(taken)
  const isFree = (draft: Draft, name: string): boolean => !used.has(name) && fits(name, keyOf(draft))
  const wishes = drafts.map((draft) => ({ draft, names: namesOf(draft) }))
  // The plain name goes to the only list that wants it, or to the one that needs no parent.
  const wanting = Map.groupBy(wishes, ({ names }) => names[0] ?? "")
  for (const [name, those] of wanting) {
    const alone = those.filter(({ draft }) => those.length === 1 || draft.pathParameters.length === 0)
    const [first] = alone.toSorted((a, b) => a.draft.segments.length - b.draft.segments.length)
    if (first === undefined || !isFree(first.draft, name)) continue
    used.add(name)
    found.set(first.draft, { table: name })
  }
  for (const { draft, names } of wishes) {
    if (found.has(draft)) continue
    const [plain = "", ...others] = names
    const other = nameOf(`listed_${names.at(-1) ?? plain}`, "list")
    const name = others.find((each) => isFree(draft, each)) ?? free(other, used)
    used.add(name)
    found.set(draft, {
      table: name,
      reason: `${why(plain, { taken, used, wishing: wanting.get(plain)?.length ?? 0 })}, so this one is ${name}.`
    })
  }
  return found
}

interface Others {
  readonly taken: ReadonlySet<string>
  readonly used: ReadonlySet<string>
  readonly wishing: number
}

const why = (plain: string, { taken, used, wishing }: Others): string => {
  if (taken.has(plain)) return `siteledger has a table ${plain}`
  if (wishing > 1) return `${wishing} lists would be the table ${plain}`
  return used.has(plain) ? `Another list has the table ${plain}` : `siteledger's ${plain} have ids of another type`
}
