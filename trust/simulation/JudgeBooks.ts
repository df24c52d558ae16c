/**
 * Compares the books, their copies and accounting's entries with a second implementation of the rules.
 */
import * as Version from "../../src/Domain/Version.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import type { Row } from "../../src/Domain/Merge.ts"
import type { Fact } from "../../src/Ledger/Fact.ts"
import { contractor } from "../../test/Ledger/Contractor.ts"
import { Reference } from "../../test/Ledger/Reference.ts"
import { differ, inStore, type Known, known, type Violation } from "./Evidence.ts"
import { moved } from "../Moved.ts"
import { rowsOf } from "./MemoryWarehouse.ts"
import type { World } from "./Worker.ts"

const factsOf = ({ micros, number, seenAt, sha256, step }: Known): ReadonlyArray<Fact> => {
  const {
    certificate_url: url = null,
    certified_amount: amount,
    payment_reference: reference,
    project_id: projectId
  } = step.values
  const common = { number, ipcId: step.id, knownAt: seenAt }
  const at = Instant.fromMicros(micros)
  const version = Version.make(micros, step.stage, sha256)
  return [
    ...(projectId === undefined ? [] : [{ ...common, kind: "project" as const, projectId, version }]),
    ...(amount === undefined
      ? []
      : [{ ...common, kind: "certificate" as const, at, units: BigInt(amount.replace(".", "")), url }]),
    ...(reference === undefined ? [] : [{ ...common, kind: "payment" as const, at, reference }])
  ]
}

const unitsOf = (amount: string | null | undefined): bigint => BigInt(String(amount).replace(".", ""))

/** Compares the books, and what waits for a person, with the second implementation of the rules. */
export const books = (world: World): ReadonlyArray<Violation> => {
  const byIpc = Map.groupBy(
    known(world).filter(({ step }) => step.entity === "ipcs"),
    ({ step }) => step.id
  )
  const entries = inStore(world.store, "select * from ledger_entries order by sequence")
  const holds = inStore(world.store, "select * from ledger_holds")
  const numbers = inStore(world.store, "select number from ledger_facts order by number").map(({ number }) =>
    Number(number)
  )
  const facts = differ(
    "the numbers of facts",
    numbers,
    numbers.map((_, index) => index + 1)
  )
  const ofIpcs = [...byIpc].flatMap(([id, said]) => {
    const reference = new Reference(
      () => "",
      () => true
    )
    for (const fact of said.flatMap(factsOf)) reference.learn(fact, contractor, undefined)
    const nets = new Map<string, bigint>()
    for (const entry of entries.filter((each) => each["ipc_id"] === id)) {
      const of = `${entry["payment_reference"]} ${entry["currency"]} ${entry["project_id"]}`
      nets.set(of, (nets.get(of) ?? 0n) + unitsOf(entry["amount"]))
    }
    const texts = (sums: ReadonlyMap<string, bigint>) =>
      [...sums]
        .filter(([, units]) => units !== 0n)
        .map(([of, units]) => `${of} ${units}`)
        .toSorted()
    const asked = holds
      .filter((hold) => hold["ipc_id"] === id)
      .map(
        (hold) =>
          `${hold["reason"]} ${hold["payment_reference"]} ${hold["amount"] === null ? null : unitsOf(hold["amount"])}`
      )
    return [
      ...journal(
        id,
        entries.filter((each) => each["ipc_id"] === id),
        said
      ),
      ...differ(`the books of ${id}`, texts(nets), texts(reference.nets)),
      ...differ(
        `the holds of ${id}`,
        asked.toSorted(),
        reference.asked.map((open) => `${open.reason} ${open.reference} ${open.units}`).toSorted()
      )
    ]
  })
  return [...facts, ...ofIpcs]
}

/** The first entry of a payment is its `payment`, the others adjust it; all have the time of the payment. */
const journal = (id: string, entries: ReadonlyArray<Row>, said: ReadonlyArray<Known>): ReadonlyArray<Violation> =>
  entries.flatMap((entry, index) => {
    const reference = entry["payment_reference"]
    const isFirst = entries.findIndex((each) => each["payment_reference"] === reference) === index
    const paid = said.find(({ step }) => step.values["payment_reference"] === reference)
    return differ(
      `entry ${index + 1} of ${id}`,
      [entry["kind"], entry["effective_at"]],
      [isFirst ? "payment" : "adjustment", paid && Instant.fromMicros(paid.micros)]
    )
  })

const textual = (rows: ReadonlyArray<Row>, key: string, columns: ReadonlyArray<string>): ReadonlyArray<string> =>
  rows
    .map((row) => columns.map((name) => String(row[name])).join(" "))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .concat(key)

const ofEntries = ["entry_id", "sequence", "ipc_id", "kind", "amount"]

/** The warehouse's copies of the books. */
export const copies = ({ store, warehouse }: World): ReadonlyArray<Violation> =>
  (
    [
      ["ledger_entries", [...ofEntries, "payment_reference", "debit_account", "credit_account", "lines"]],
      ["ledger_holds", ["hold_id", "ipc_id", "reason", "amount"]],
      ["ledger_hold_decisions", ["hold_id", "number"]]
    ] as const
  ).flatMap(([table, columns]) =>
    differ(
      `the copy of ${table}`,
      textual(rowsOf(warehouse, table), table, columns),
      textual(inStore(store, `select * from ${table}`), table, columns)
    )
  )

export const accounts = ({ accounting, store }: World): ReadonlyArray<Violation> => {
  const entries = inStore(store, "select * from ledger_entries order by sequence")
  return [
    ...differ(
      "what accounting has",
      [...accounting.taken].map(([id, { moved: lines }]) => [id, ...lines].join(", ")).toSorted(),
      entries.map((row) => [row["entry_id"], row["amount"], ...moved(row)].join(", ")).toSorted()
    ),
    ...differ(
      "undelivered entries",
      inStore(store, "select entry_id, state from ledger_outbox where state <> 'delivered'"),
      []
    )
  ]
}
