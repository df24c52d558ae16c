/**
 * The catalogue's tables, read into data. A resource is one line, with what it does and its fields below:
 *
 *     rfi_responses "RFI response" as responses of rfis, flat | int | whole
 *       get create accept
 *       body:prose author:Person is_official:flag
 *
 * - its name, unique in the catalogue; the singular, if it can't be made from the name; its name in addresses, if that
 *   differs; its parent resource. `flat`: single records have an address without the parents; `also alone`: there
 *   is a second list, with the records of all parents.
 * - its ids: `int`, `int64`, `big` (larger than a double holds), `uuid`, `code` with a prefix, or `local` with the name
 *   of
 *   a number that is unique only within the parent.
 * - how its list is paged (`Paging.ts`).
 * - its operations besides the list. A word without a meaning of its own (`Operations.ts`) is an action.
 *
 * Pure. A mistake in a table is a defect.
 */
import * as Fields from "./Fields.ts"

export interface Area {
  readonly tag: string
  readonly about: string
  readonly table: string
}

export const idKinds = ["int", "int64", "big", "uuid", "code", "local"] as const
export type IdKind = (typeof idKinds)[number]

export const pagings = ["page", "cursor", "link", "more", "offset", "whole"] as const
export type Paging = (typeof pagings)[number]

export interface Resource {
  readonly name: string
  /** The singular: as a part of names, and in words. */
  readonly one: string
  readonly noun: string
  /** `an RFI` */
  readonly aNoun: string
  /** Its number in the catalogue. */
  readonly number: number
  readonly tag: string
  /** Its spelling in addresses. */
  readonly segment: string
  readonly parent: string | undefined
  readonly isFlat: boolean
  readonly isAlsoAlone: boolean
  readonly id: { readonly kind: IdKind; readonly name: string; readonly prefix: string }
  readonly paging: Paging
  readonly does: ReadonlyArray<string>
  readonly fields: ReadonlyArray<Fields.Field>
}

const heading =
  /^(?<name>\w+)(?: "(?<noun>[^"]+)")?(?: as (?<segment>\w+))?(?: of (?<parent>\w+))?(?<flat>, flat)?(?<alone>, also alone)? \| (?<kind>\w+)(?: (?<word>\w+))? \| (?<paging>\w+)$/

const singular = (plural: string): string =>
  plural
    .replace(/(?<=[^aeiou])ies$/, "y")
    .replace(/(?<=sh|ss|x)es$/, "")
    .replace(/(?<=[^s])s$/, "")

const withArticle = (noun: string): string => `${/^([aeio]|RFI)/.test(noun) ? "an" : "a"} ${noun}`

const known = <A extends string>(values: ReadonlyArray<A>, text: string | undefined): A => {
  const found = values.find((value) => value === text)
  if (found === undefined) throw new Error(`The catalogue knows ${values.join(", ")}, but not ${text}.`)
  return found
}

const resource = (tag: string, number: number, lines: string): Resource => {
  const [first = "", ...others] = lines.split("\n")
  const { alone, flat, kind, name = "", noun, paging, parent, segment, word } = heading.exec(first)?.groups ?? {}
  if (name === "") throw new Error(`The catalogue has no resource like ${first}.`)
  const words = others.join(" ").split(/\s+/)
  const spoken = noun ?? singular(name).replaceAll("_", " ")
  const idKind = known(idKinds, kind)
  return {
    name,
    one: singular(name),
    noun: spoken,
    aNoun: withArticle(spoken),
    number,
    tag,
    segment: (segment ?? name).replaceAll("_", "-"),
    parent,
    isFlat: flat !== undefined || parent === undefined,
    isAlsoAlone: alone !== undefined,
    id: { kind: idKind, name: idKind === "local" ? (word ?? "number") : "id", prefix: word ?? "" },
    paging: known(pagings, paging),
    does: words.filter((word) => word !== "" && !word.includes(":")),
    fields: Fields.read(words.filter((word) => word.includes(":")).join(" "))
  }
}

/** In the order of the tables. */
export const read = (areas: ReadonlyArray<Area>): ReadonlyArray<Resource> =>
  areas
    .flatMap(({ table, tag }) =>
      table
        .trim()
        .split(/\n\n+/)
        .map((lines) => [tag, lines] as const)
    )
    .map(([tag, lines], number) => resource(tag, number, lines))
