/**
 * The part of QuickBooks' query language that posting needs: one condition, and pages. Deliberately shares nothing with the
 * product.
 */
import type { Lists, Stored } from "./Rules.ts"

const statement =
  /^select \* from (?<entity>\w+)(?: where (?<field>\w+) = (?:(?<flag>true|false)|'(?<text>(?:[^'\\]|\\.)*)'))? startposition (?<from>\d+) maxresults (?<most>\d+)$/

/** What may be asked for; QuickBooks refuses other conditions. */
const filterable: Readonly<Record<string, ReadonlyArray<string>>> = {
  Account: ["Active", "Name"],
  Customer: ["DisplayName"],
  Vendor: ["DisplayName"],
  Class: ["FullyQualifiedName"],
  Department: ["FullyQualifiedName"],
  JournalEntry: ["DocNumber"],
  Preferences: []
}

/** JSON; undefined if the statement can't be read. */
export const rowsFor = (
  query: string,
  lists: Lists,
  journal: ReadonlyArray<Stored>,
  { home, isMulti }: { readonly home: string; readonly isMulti: boolean }
): string | undefined => {
  const { entity = "", field, flag, from = "1", most = "1000", text } = statement.exec(query)?.groups ?? {}
  const fields = filterable[entity]
  if (fields === undefined || (field !== undefined && !fields.includes(field)) || Number(most) > 1000) return undefined
  const start = Number(from) - 1
  const page = matching(entity, { field, value: flag ?? text?.replaceAll(/\\(.)/g, "$1") }, { lists, journal })
  const preferences = JSON.stringify({
    CurrencyPrefs: { MultiCurrencyEnabled: isMulti, HomeCurrency: { value: home } }
  })
  const rows = entity === "Preferences" ? [preferences] : page.slice(start, start + Number(most))
  return rows.length === 0
    ? "{}"
    : `{"${entity}":[${rows.join(",")}],"startPosition":${from},"maxResults":${rows.length}}`
}

interface Condition {
  readonly field: string | undefined
  readonly value: string | undefined
}

interface Company {
  readonly lists: Lists
  readonly journal: ReadonlyArray<Stored>
}

/** As JSON. Only what is active; case doesn't matter. */
const matching = (entity: string, { field, value }: Condition, { journal, lists }: Company): ReadonlyArray<string> => {
  if (entity === "JournalEntry") return journal.filter(({ entry }) => entry.DocNumber === value).map(({ text }) => text)
  const rows: ReadonlyArray<object> = lists[entity as keyof Lists] ?? []
  return rows
    .filter((row) => (row as { readonly Active: boolean }).Active)
    .filter((row) => {
      const own = (row as Readonly<Record<string, unknown>>)[field ?? ""]
      return field === undefined || String(own).toLowerCase() === value?.toLowerCase()
    })
    .map((row) => JSON.stringify(row))
}
