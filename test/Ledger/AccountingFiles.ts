/** Files from an accounting system, for tests: the entries that the sink sent, as a person exports them there. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import * as SinkEntry from "../../src/Ledger/Outbox/SinkEntry.ts"
import * as AccountingFile from "../../src/Ledger/People/AccountingFile.ts"
import { entryNumber, type Given } from "../connectors/Entries.ts"
import { folder } from "./Started.ts"

export const quoted = (cell: unknown): string => `"${String(cell ?? "").replaceAll('"', '""')}"`

export type Sent = Readonly<Record<string, unknown>>

/** As the accounting sink sent it. */
export const sent = (number: number, given: Given = {}): Sent =>
  JSON.parse(String(Buffer.from(SinkEntry.encode(SinkEntry.of(entryNumber(number, given).entry, "posted"))))) as Sent

const columns = ["entry_id", "amount", "currency", "ipc_id", "payment_reference", "sequence", "kind", "lines"]

/** The same as one kind of file or another. */
export const files: Readonly<
  Record<string, { readonly name: string; readonly text: (all: ReadonlyArray<Sent>) => string }>
> = {
  "JSON lines, as sent": { name: "has.jsonl", text: (all) => all.map((each) => JSON.stringify(each)).join("\n") },
  "a JSON array": { name: "has.json", text: (all) => JSON.stringify(all) },
  "CSV with the list of lines": {
    name: "has.csv",
    text: (all) =>
      [
        columns.join(","),
        ...all.map((each) =>
          columns
            .map((name) =>
              quoted(name === "lines" && each[name] !== undefined ? JSON.stringify(each[name]) : each[name])
            )
            .join(",")
        )
      ].join("\n")
  }
}

export const read = (path: string, name: string, text: string) =>
  Effect.suspend(() => {
    writeFileSync(join(path, name), text)
    return AccountingFile.read(join(path, name))
  })

export const units = (amounts: Readonly<Record<string, string>>) =>
  Object.entries(amounts).map(([account, amount]) => ({ account, units: BigInt(amount.replace(".", "")) }))

export const accruedUnits = units({
  VAT: "-190.0000",
  receivable: "1140.0000",
  retention: "50.0000",
  revenue: "-1000.0000"
})

export const inFolder = <A, E>(body: (path: string) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.flatMap(folder, body))
