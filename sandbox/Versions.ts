/**
 * The versions of the API (interface document §9), as data. v1 is the document's; v2 is made up, so that a client can
 * rehearse a migration. In v2 some fields have other names, and lists and deliveries have another envelope; everything
 * else (endpoints, parameters, scopes, headers, signatures, `event_timestamp`) is as in v1.
 */
import type { Entity } from "./Lifecycles.ts"

export type Kind = Entity | "projects"

export interface Version {
  readonly path: `/v${number}`
  /** Fields of records and deliveries whose name differs from v1's. */
  readonly renamed: Readonly<Partial<Record<Kind, Readonly<Record<string, string>>>>>
  /** The names in the envelope of a list (§2.2). */
  readonly list: Readonly<Record<"data" | "pagination" | "total" | "page" | "per_page", string>>
  /** The names in the envelope of a delivery. */
  readonly delivery: Readonly<Record<"event_type" | "event_timestamp" | "data", string>>
}

export const v1: Version = {
  path: "/v1",
  renamed: {},
  list: { data: "data", pagination: "pagination", total: "total", page: "page", per_page: "per_page" },
  delivery: { event_type: "event_type", event_timestamp: "event_timestamp", data: "data" }
}

const status = { status: "state" }

export const v2: Version = {
  path: "/v2",
  renamed: {
    projects: { ...status, name: "title" },
    ipcs: {
      ...status,
      draft_amount: "amount_drafted",
      amount: "amount_submitted",
      certified_amount: "amount_certified"
    },
    vos: { ...status, total_cost_impact: "cost_impact", final_amount: "amount_agreed" },
    ncrs: status,
    hse_incidents: status,
    permits: { ...status, type: "permit_type" },
    transmittals: status
  },
  list: { data: "items", pagination: "page", total: "total", page: "number", per_page: "size" },
  delivery: { event_type: "type", event_timestamp: "event_timestamp", data: "record" }
}

export const served = ({ v2: isV2Served }: { readonly v2: boolean }): ReadonlyArray<Version> =>
  isV2Served ? [v1, v2] : [v1]

/** Looks a version up by its path; v1 if there is none. */
export const versionOf = (path: string | undefined): Version => (path === v2.path ? v2 : v1)

/** Pairs of name and JSON text, as the inside of an object. */
export const members = ({ renamed }: Version, kind: Kind, fields: Iterable<readonly [string, string]>): string => {
  const names = renamed[kind]
  let text = ""
  for (const [name, json] of fields) text += `${text === "" ? "" : ","}"${names?.[name] ?? name}":${json}`
  return text
}

export interface Page {
  readonly total: number
  readonly page: number
  readonly per_page: number
}

/** `data`: the inside of a JSON array. */
export const listed = ({ list }: Version, data: string, { page, per_page, total }: Page): string =>
  `{"${list.data}":[${data}],"${list.pagination}":{"${list.total}":${total},"${list.page}":${page},"${list.per_page}":${per_page}}}`

/** `data`: the inside of a JSON object. */
export const envelope = ({ delivery }: Version, type: string, timestamp: string, data: string): string =>
  `{"${delivery.event_type}":"${type}","${delivery.event_timestamp}":"${timestamp}","${delivery.data}":{${data}}}`
