/** Random histories of one entity: stages out of order, ties, nulls, misfits, unknown fields, pages, tombstones. */
import type { Change } from "../../../src/Domain/Change.ts"
import { byName, type ColumnType, type EntityName } from "../../../src/Domain/Resource.ts"
import type { Random } from "../../Seeded.ts"
import { event, gone, page, second, start, type Values } from "./Histories.ts"

const samples: Readonly<Record<ColumnType, ReadonlyArray<string>>> = {
  BIGINT: ["1", "2", "-9223372036854775808"],
  VARCHAR: ["", "a", 'b"é😀'],
  "DECIMAL(28,4)": ["0.0000", "1000000.0000", "999999999999999999999999.9999"],
  "DECIMAL(10,2)": ["71.50", "0.00"],
  TIMESTAMPTZ: ["2026-11-20T02:00:00.000000Z"],
  DATE: ["2026-11-20", "1955-05-05"],
  JSON: ["[]", '["a",1.50]', '{"b":1,"a":2}'],
  BOOLEAN: ["true", "false"],
  DOUBLE: ["0", "-1.5", "1e+21"]
}

const misfit = ['{"of":[1.0,null]}', '"P-1"', "1e99", "true", '"\ufffd"']

/** Names that are special in JavaScript objects, and names of columns that never hold a misfit. */
const unknown = [
  "note",
  "a",
  "+note",
  "__proto__",
  "constructor",
  "10",
  "2",
  "status",
  "id",
  "created_at",
  "_extra",
  "é"
]
const texts = ["null", '"x"', "1.50", "12345678901234567890", "-0", "[]", '{"b":[1e5],"a":{"__proto__":1}}', "false"]

const record = <A>(random: Random, names: ReadonlyArray<string>, make: (name: string) => A): Record<string, A> =>
  Object.fromEntries(names.filter(() => random.chance(0.4)).map((name) => [name, make(name)]))

export const entities: ReadonlyArray<EntityName> = ["projects", "ipcs", "vos", "ncrs", "permits", "transmittals"]

/** Some changes of one entity; `withPages` mixes in observations and tombstones. */
export const history = (
  random: Random,
  entity: EntityName,
  length: number,
  withPages: boolean
): ReadonlyArray<Change> => {
  const resource = byName(entity)
  const types = Object.entries(resource.columns)
  return Array.from({ length }, (_, index): Change => {
    // Few distinct times, so that stages and hashes must break ties; the extra name makes each body unique.
    const at = random.below(4) + random.pick([0, 0, 0.000001])
    const values: Values = record(
      random,
      types.map(([column]) => column),
      (column) => (random.chance(0.2) ? null : random.pick(samples[resource.columns[column]?.type ?? "JSON"]))
    )
    const misfits = record(
      random,
      Object.keys(values).filter((column) => !isMoneyOrJson(resource.columns[column]?.type)),
      () => random.pick(misfit)
    )
    const nulls = Object.fromEntries(Object.keys(misfits).map((column) => [column, null]))
    // A reader never reports a column's own name as an unknown field.
    const others = unknown.filter((name) => !Object.hasOwn(resource.columns, name))
    const extra = { ...record(random, others, () => random.pick(texts)), [`n${index % 3}`]: String(index) }
    const rest = { misfits, extra, seenAt: start + random.below(20) * second }
    const all = { ...values, ...nulls }
    const stage = resource.stages[random.below(resource.stages.length)]
    if (stage !== undefined && !(withPages && random.chance(0.3))) return event(entity, stage.status, at, all, rest)
    return random.chance(0.2) ? gone(entity, at + index / second) : page(entity, at, all, rest)
  })
}

const isMoneyOrJson = (type: ColumnType | undefined): boolean => type === "DECIMAL(28,4)" || type === "JSON"
