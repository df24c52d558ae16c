/** The addresses of the page. */
import { entryId, holdId } from "./Shown.ts"

/** Each with a text that its answer brings. */
export const views = {
  "/": "The books differ",
  "/?range=day": "Last day",
  "/walks": "Walks of all lists",
  "/walks/projects": "changed while it was being walked",
  "/deliveries": "ipc.paid",
  "/deliveries?table=ipcs&record=IPC-9": "Show earlier ones",
  "/deliveries/2": "X-Service-Event",
  "/ledger": "PAY-1",
  [`/ledger?entry=${entryId}`]: "No such account.",
  "/ledger/holds": "Certified again after the payment",
  [`/ledger/holds/${holdId}`]: "Your answer",
  "/ledger/outbox": "No such tax code.",
  "/ledger/balances": "1,234,567.5678",
  "/ledger/balances?report=balances&month=2026-10": "Brought forward",
  "/ledger/balances?report=statement": "11,111,111,010.90",
  "/ledger/balances?report=aged": "61-90",
  "/ledger/balances?report=unposted": "More is paid than was certified",
  "/ipcs/IPC-7": "What happened",
  "/quarantine": "What would make them readable",
  "/quarantine?reason=no-key": "Show those of every reason",
  "/records": "Tables of the copy",
  "/records/ipcs?column=id&is=begins&value=IPC": "rows were searched",
  "/records/ipcs/IPC-7": "There are older ones.",
  "/setup": "set, and secret",
  "/lake": "readers see this",
  "/sql?q=select%201": "Statements can read only",
  "/nothing": "There is no such page"
}
