/** Random batches over all tables, with values that are hard to keep: the widest amounts, extreme times, any text. */
import type { Change } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import type { Row } from "../../src/Domain/Merge.ts"
import { byName, type ColumnType, type EntityName, resources, tableColumns } from "../../src/Domain/Resource.ts"
import type { Batch } from "../../src/Stores/Warehouse.ts"
import {
  ledgerDecisionsTable,
  ledgerEntriesTable,
  ledgerHoldsTable,
  type Shown
} from "../../src/Stores/WarehouseTables.ts"
import type { Random } from "../Seeded.ts"
import { eventRow } from "./Written.ts"

const texts = [
  "",
  " ",
  "NULL",
  "null",
  "\\N",
  "\\",
  '"',
  "'",
  "{a,b}",
  '{"a" : 1.10}',
  "a,b\r\n\t",
  "=1+1",
  "é\u0301 ñ ß 漢字 \u{1f3d7}",
  "\u202e\ufeff",
  "x".repeat(3000)
]

const times = [
  "0001-01-01T00:00:00.000000Z",
  "0044-03-15T12:00:00.000001Z",
  "1582-10-10T00:00:00.000000Z",
  "1969-12-31T23:59:59.999999Z",
  "2026-03-29T01:30:00.123456Z",
  "2026-11-20T23:59:59.999999Z",
  "9999-12-31T23:59:59.999000Z"
]

const amount = (random: Random, digits: number, scale: number): string => {
  const whole = random.digits(1 + random.below(digits - scale))
  const fraction = Array.from({ length: scale }, () => random.below(10)).join("")
  return `${random.chance(0.3) ? "-" : ""}${whole}.${fraction}`
}

const valueOf = (random: Random, type: ColumnType): string | null => {
  if (random.chance(0.2)) return null
  switch (type) {
    case "VARCHAR":
      return random.pick(texts)
    case "BIGINT":
      return random.pick(["0", "-1", "7", "9007199254740993", "9223372036854775807", "-9223372036854775808"])
    case "DECIMAL(28,4)":
      return random.chance(0.2) ? "0.0000" : amount(random, 28, 4)
    case "DECIMAL(10,2)":
      return random.pick(["0.00", "48.00", "36.50", "99999999.99"])
    case "TIMESTAMPTZ":
      return random.pick(times)
    case "DATE":
      return random.pick(["0001-01-01", "2024-02-29", "9999-12-31"])
    case "JSON":
      return random.pick(['["a" ,  1.10,null]', '{"z":1,"a":{"\\u0000":"\\ud83c\\udfd7"}, "z":2}', "1e400", '""'])
    case "BOOLEAN":
      return random.pick(["true", "false"])
    case "DOUBLE":
      return random.pick(["0", "0.1", "-1.5", "123456789012345680000", "1e+21", "5e-324"])
  }
}

const ours = /^_|^id$|^status$/

const change = (random: Random, entity: EntityName, second: number): Change => {
  const resource = byName(entity)
  const known = tableColumns(resource).filter(({ name }) => !ours.test(name))
  const at = Instant.fromMicros((Date.UTC(2026, 10, 20) / 1000 + second) * 1_000_000)
  const number = random.below(4)
  // Some never get beyond their first stage, so that no view is empty with any seed.
  const later = number === 0 ? resource.stages.slice(1).map(({ at: column }) => column) : []
  const picked = known.filter(({ name }) => !later.includes(name) && random.chance(0.7))
  return {
    entity,
    id: entity === "projects" ? String(random.below(9)) : `${random.pick(["I", "é", "_", "a b"])}${number}`,
    version: Version.make(Instant.toMicros(at), 1 + random.below(2), String(second).padStart(64, "0")),
    source: random.chance(0.5) ? "event" : "page",
    seenAt: at,
    values: Object.fromEntries(picked.map(({ name, type }) => [name, valueOf(random, type)])),
    misfits: random.chance(0.2) ? { project_id: '"not \\u0000 a number"' } : {},
    extra: random.chance(0.5) ? { note: JSON.stringify(random.pick(texts)), "a.b": "1.10" } : {}
  }
}

const row = (random: Random, columns: Shown["columns"], fixed: Row): Row => ({
  ...Object.fromEntries(columns.map(({ name, type }) => [name, valueOf(random, type) ?? random.pick(times)])),
  ...fixed
})

/** Random only where the Store accepts any text; the other columns have values that the books can hold. */
const entry = (random: Random, sequence: number): Row =>
  row(
    random,
    ledgerEntriesTable.columns.filter(({ type }) => type === "VARCHAR" || type === "TIMESTAMPTZ"),
    {
      entry_id: `entry ${sequence}`,
      sequence: String(sequence),
      ipc_id: `I${random.below(5)}`,
      project_id: random.pick([null, "7"]),
      kind: "adjustment",
      amount: amount(random, 28, 4),
      payment_reference: `PAY-${sequence}`,
      reverses: null,
      basis: '{"facts" : [1]}'
    }
  )

const hold = (random: Random, number: number): Row =>
  row(random, ledgerHoldsTable.columns, {
    hold_id: `hold ${number}`,
    since: random.pick(times),
    basis: "[]",
    amount: random.pick([null, amount(random, 28, 4)])
  })

const decision = (random: Random, number: number): Row =>
  row(random, ledgerDecisionsTable.columns, {
    number: String(number),
    since: random.pick(times),
    amount: random.pick([null, amount(random, 28, 4)]),
    decided_at: random.pick(times)
  })

export interface RandomBatch {
  readonly batch: Batch
  readonly decisions: ReadonlyArray<Row>
  readonly entries: ReadonlyArray<Row>
  readonly holds: ReadonlyArray<Row>
}

export const randomBatches = (random: Random): ReadonlyArray<RandomBatch> => {
  const names = Object.keys(resources) as ReadonlyArray<EntityName>
  let second = 0
  return Array.from({ length: 6 }, (_, number) => ({
    batch: {
      changes: Array.from({ length: 60 }, () => change(random, random.pick(names), second++)),
      events: Array.from({ length: 10 }, (__, place) => ({
        ...eventRow(number * 8 + place, random.pick(texts)),
        event_timestamp: random.pick([null, ...times]),
        issued_at: random.pick([null, ...times]),
        deliveries: String(1 + number),
        alarms: random.pick(["[]", '["relabelled"]'])
      })),
      currencies: [
        { id: "default", project_id: null, currency: random.pick(["EUR", "CHF"]) },
        { id: "7", project_id: "7", currency: random.pick(["USD", "GBP"]) }
      ]
    },
    entries: Array.from({ length: 3 }, (__, place) => entry(random, number * 3 + place + 1)),
    decisions: [decision(random, number + 1)],
    holds: [hold(random, number)]
  }))
}
