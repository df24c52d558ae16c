/**
 * Look-ups in the review file: what a new entry offers; what is wrong, as parts of sentences; and where an answer has
 * the certificate of an IPC, once a person has signed off its amount. Pure.
 */
import type { CertificatePlaces } from "../../Domain/Certificate.ts"
import { entityNames } from "../../Domain/Resource.ts"
import { parametersIn } from "../Drafts.ts"
import { isSound } from "../Operations.ts"
import type { Column, List } from "../Review.ts"
import type { Shape, Shapes } from "../Shape.ts"

/** Whether events mention its records. */
const hasEvents = ({ table }: Pick<List, "table">): boolean =>
  table !== "projects" && entityNames.some((name) => name === table)

/**
 * What a new entry has, switched off: where the answer of `detail` has a record with this key, as far as its shape
 * tells.
 */
export const offered = (
  shapes: Shapes,
  { answer, key, table }: { readonly answer: Shape; readonly key: string; readonly table: string }
): List["lookUp"] => {
  if (answer.kind !== "object" || !hasEvents({ table })) return undefined
  if (answer.fields.has(key)) return { on: false }
  const wrapped = [...answer.fields].filter(([, schema]) => {
    const inner = shapes.of(schema)
    return inner.kind === "object" && inner.fields.has(key)
  })
  const [only, ...others] = wrapped.map(([name]) => name)
  const isSure = only !== undefined && others.length === 0
  return isSure ? { on: false, record: `/${only.replaceAll("~", "~0").replaceAll("/", "~1")}` } : { on: false }
}

const columnIn = ({ columns }: List, name: string): Column | undefined =>
  columns.find((column) => column.name === name && column.parameter === undefined && column.use === "keep")

export const lookUpProblems = (list: List): ReadonlyArray<string> => {
  const { detail = "", key, lookUp } = list
  if (lookUp === undefined) return []
  const { certificate, on, paid, record = "" } = lookUp
  const path = detail.replace(/^GET /, "")
  const isRecord = record === "" || record.startsWith("/")
  return [
    ...(isRecord ? [] : ['whose lookUp has a record that isn\'t a place like "/data"']),
    ...(certificate === undefined || list.table === "ipcs"
      ? []
      : ["whose lookUp has a certificate, which only the list of the table ipcs can have"]),
    ...Object.entries<string>(certificate ?? {})
      .filter(([, name]) => columnIn(list, name) === undefined)
      .map(
        ([part, name]) => `whose lookUp.certificate.${part} names ${shown(name)}, which isn't a column that is kept`
      ),
    ...(paid === undefined || list.table === "ipcs"
      ? []
      : ["whose lookUp has paid, which only the list of the table ipcs can have"]),
    ...(paid === undefined || columnIn(list, paid)?.type === "TIMESTAMPTZ"
      ? []
      : [`whose lookUp.paid names ${shown(paid)}, which isn't a column of type TIMESTAMPTZ that is kept`]),
    ...(!on || hasEvents(list) ? [] : ["whose lookUp is on, and no events tell of its table"]),
    ...(!on || (detail.startsWith("GET ") && isSound(path) && parametersIn(path).length === 1)
      ? []
      : ["whose lookUp is on without a detail that needs nothing but the record's id"]),
    ...(!on || (key.length === 1 && columnIn(list, key[0] ?? "") !== undefined)
      ? []
      : ["whose lookUp is on, and its key isn't one column of the record that is kept"])
  ]
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 80))

/** The tables whose records are looked up. */
export const lookedUp = (lists: ReadonlyArray<List>): ReadonlySet<string> =>
  new Set(lists.flatMap(({ lookUp, table }) => (lookUp?.on === true ? [table] : [])))

/** The column of `ipcs` that has a time once the service says that an IPC is paid; undefined if no one has named it. */
export const paidColumn = (lists: ReadonlyArray<List>): string | undefined =>
  lists.find(({ table }) => table === "ipcs")?.lookUp?.paid

/** Undefined if no one has said where it is, or if the amount isn't signed off; then it isn't asked for. */
export const certificatePlaces = (list: List): CertificatePlaces | undefined => {
  const { certificate, record = "" } = list.lookUp ?? {}
  const [key = ""] = list.key
  const amount = certificate && columnIn(list, certificate.amount)
  if (certificate === undefined || amount?.money !== "signed-off") return undefined
  const at = (name: string): string => `${record}${columnIn(list, name)?.from ?? `/${name}`}`
  const { currency, project, url } = certificate
  return {
    id: at(key),
    amount: at(certificate.amount),
    at: at(certificate.at),
    ...(currency === undefined ? {} : { currency: at(currency) }),
    ...(url === undefined ? {} : { url: at(url) }),
    ...(project === undefined ? {} : { project: at(project) })
  }
}
