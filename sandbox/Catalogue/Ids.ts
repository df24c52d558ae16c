/**
 * The ids of the catalogue's records: made from a record's number within its resource, and read back into it. Six
 * kinds: small and large integers, integers that no double holds, UUIDs, codes such as `CLM-000012`, and numbers within
 * the parent.
 *
 * Pure.
 */
import * as Json from "../../src/Domain/Json.ts"
import * as Seed from "../Seed.ts"
import type { Schema } from "./Kinds.ts"
import type { IdKind, Resource } from "./Table.ts"

const first: Readonly<Record<"int" | "int64" | "big", bigint>> = {
  int: 1001n,
  int64: 40_000_000_001n,
  big: 9_007_199_254_740_993n
}

const hex = (n: number): string => (n >>> 0).toString(16).padStart(8, "0")

/** The last eight digits are the record's number in disguise. */
const uuid = (seed: number, resource: number, number: number): string => {
  const [a, b, c] = [0, 1, 2].map((n) => hex(Seed.hash(seed ^ n, Seed.Purpose.record, number * 131 + resource)))
  const disguise = Seed.hash(seed, Seed.Purpose.record, resource)
  return `${a}-${b?.slice(0, 4)}-4${b?.slice(4, 7)}-a${c?.slice(0, 3)}-${c?.slice(3, 7)}${hex(number ^ disguise)}`
}

const schemas: Readonly<Record<IdKind, Schema>> = {
  int: { type: "integer" },
  int64: { type: "integer", format: "int64" },
  big: { type: "integer", format: "int64" },
  uuid: { type: "string", format: "uuid" },
  code: { type: "string" },
  local: { type: "integer", minimum: 1 }
}

export const schemaOf = ({ id }: Resource): Schema => schemas[id.kind]

/** `number`: from 0; `local`: from 1 within the parent. Returns text. */
export const textOf = (seed: number, { id, number: resource }: Resource, number: number, local: number): string => {
  switch (id.kind) {
    case "local":
      return String(local)
    case "uuid":
      return uuid(seed, resource, number)
    case "code":
      return `${id.prefix}-${String(number + 1).padStart(6, "0")}`
    default:
      return String(first[id.kind] + BigInt(number))
  }
}

/** As it stands in JSON: integers keep all their digits. */
export const valueOf = ({ id }: Resource, text: string): unknown =>
  id.kind === "uuid" || id.kind === "code" ? text : Json.parse(text)

/** The only number that this id can belong to; not for `local`. */
export const numberOf = (seed: number, { id, number: resource }: Resource, text: string): number | undefined => {
  const [, digits] = (id.kind === "uuid" ? /([\da-f]{8})$/ : /(?:^|-)(\d{1,20})$/).exec(text) ?? []
  if (digits === undefined) return undefined
  switch (id.kind) {
    case "uuid":
      return (Number.parseInt(digits, 16) ^ Seed.hash(seed, Seed.Purpose.record, resource)) >>> 0
    case "code":
      return Number(digits) - 1
    case "local":
      return undefined
    default:
      return Number(BigInt(digits) - first[id.kind])
  }
}
