/**
 * What `siteledger erase` is asked for: a value, or a record by its table and id. Either one of the two, or a sentence
 * that says what is wrong.
 */
import { Effect, Option } from "effect"
import { CliError } from "effect/cli"
import { isNamedById, resourceOf } from "../../src/Discovery/Resources.ts"
import type { List } from "../../src/Discovery/Review.ts"
import type * as Erasure from "../../src/Domain/Erasure.ts"
import { byName, entityNames, type Resource } from "../../src/Domain/Resource.ts"
import * as Value from "../../src/Domain/Value.ts"
import { joined } from "../../src/Domain/Key.ts"
import { piped } from "../Options.ts"

export interface Flags {
  readonly value: Option.Option<string>
  readonly field: Option.Option<string>
  readonly within: boolean
  readonly table: Option.Option<string>
  readonly id: ReadonlyArray<string>
}

export const usage = (cause: string) => Effect.fail(new CliError.UserError({ cause }))

const shortest = 3

export const asked = Effect.fnUntraced(function* (flags: Flags, lists: ReadonlyArray<List>) {
  const isRecord = Option.isSome(flags.table) || flags.id.length > 0
  if (isRecord === Option.isSome(flags.value)) {
    return yield* usage(
      isRecord
        ? "Give either a value, with --value, or a record, with --table and --id."
        : "Say what to erase: --value TEXT (--value - to give it on standard input), or a record: --table TABLE and --id ID."
    )
  }
  const what: Erasure.Asked = isRecord ? yield* record(flags, lists) : yield* value(flags)
  return what
})

const value = Effect.fnUntraced(function* ({ field, value: given, within }: Flags) {
  const text = Option.getOrElse(given, () => "-")
  const whole = text === "-" ? (yield* piped).trim() : text
  if (whole.length < shortest) return yield* usage(`--value must have at least ${shortest} characters.`)
  return { value: whole, field: Option.getOrNull(field), isWithin: within }
})

/** How the records of a table are named. */
interface Naming {
  readonly resource: Resource
  readonly key: ReadonlyArray<string>
}

const namingOf = (table: string, lists: ReadonlyArray<List>): Naming | undefined => {
  const list = lists.find((each) => each.table === table)
  if (entityNames.some((name) => name === table)) return { resource: byName(table), key: ["id"] }
  return list && { resource: resourceOf(list), key: isNamedById(list) ? ["id"] : list.key }
}

const record = Effect.fnUntraced(function* ({ field, id: ids, table, within }: Flags, lists: ReadonlyArray<List>) {
  if (Option.isSome(field) || within)
    return yield* usage("--field and --within are for values: a record goes as a whole.")
  if (Option.isNone(table)) return yield* usage("Say of which table the record is: --table TABLE.")
  const name = table.value
  const naming = namingOf(name, lists)
  if (naming === undefined) {
    const all = [...new Set([...entityNames, ...lists.map((list) => list.table)])].toSorted()
    return yield* usage(`There is no table ${name} with records of the service: there are ${all.join(", ")}.`)
  }
  const { key, resource } = naming
  if (ids.length !== key.length) return yield* usage(needs(name, key))
  const parts = ids.flatMap((id) => Value.readKey(resource, id) ?? [])
  if (parts.length < ids.length) {
    const kind = resource.key === "BIGINT" ? "a whole number" : "a text that isn't empty"
    return yield* usage(`An id of ${name} is ${kind}.`)
  }
  return { table: name, id: joined(resource, parts) }
})

const needs = (table: string, key: ReadonlyArray<string>): string =>
  key.length === 1
    ? `Say which record of ${table}: --id ID, once.`
    : `A record of ${table} is named by ${key.length} columns: give --id once for each, in this order: ${key.join(", ")}.`
