/** An entry that is sent again has the same bytes: those with two lines are unchanged since entries can have more. */
import { assert, it } from "@effect/vitest"
import * as SinkEntry from "../../../src/Ledger/Outbox/SinkEntry.ts"
import { accrued, entryNumber, type Given } from "../../connectors/Entries.ts"

const start = '{"version":1,"status":"posted","entry_id":"00000000000000000000000000000007","sequence":7,"ipc_id":"12"'
const times =
  '"effective_at":"2026-03-01T09:00:00.000000Z","known_at":"2026-03-01T09:00:00.000000Z","event_id":null,"reverses":null'
const later = '"posting_date":"2026-03-01","certified_as":"each","epoch":1'

const sent: ReadonlyArray<readonly [what: string, Given, bytes: string]> = [
  [
    "a payment",
    {},
    `${start},"project_id":"7","kind":"payment","amount":"1250.0000","currency":"EUR","payment_reference":"PAY-7",` +
      `"certificate_url":null,${times},${later},"lines":[{"account":"bank","debit":"1250.0000","credit":"0.0000"},` +
      '{"account":"receivable","debit":"0.0000","credit":"1250.0000"}]}'
  ],
  [
    "an amount below zero, whose accounts stay in their order",
    {
      kind: "adjustment",
      amount: "-123456789012345678901234.5678",
      debit_account: '1200 "Ü"',
      credit_account: "payable"
    },
    `${start},"project_id":"7","kind":"adjustment","amount":"-123456789012345678901234.5678","currency":"EUR",` +
      `"payment_reference":"PAY-7","certificate_url":null,${times},${later},` +
      '"lines":[{"account":"1200 \\"Ü\\"","debit":"0.0000","credit":"123456789012345678901234.5678"},' +
      '{"account":"payable","debit":"123456789012345678901234.5678","credit":"0.0000"}]}'
  ],
  [
    "an entry of 0.1",
    { posting_date: null, epoch: null, certified_as: null, currency: null, project_id: null },
    `${start},"project_id":null,"kind":"payment","amount":"1250.0000","currency":null,"payment_reference":"PAY-7",` +
      `"certificate_url":null,${times},"lines":[{"account":"bank","debit":"1250.0000","credit":"0.0000"},` +
      '{"account":"receivable","debit":"0.0000","credit":"1250.0000"}]}'
  ],
  [
    "an entry with more than two lines, debits first",
    accrued,
    `${start},"project_id":"7","kind":"accrual","amount":"1000.0000","currency":"EUR","payment_reference":"12",` +
      `"certificate_url":null,${times},${later},"lines":[{"account":"receivable","debit":"1140.0000","credit":"0.0000"},` +
      '{"account":"retention","debit":"50.0000","credit":"0.0000"},{"account":"revenue","debit":"0.0000",' +
      '"credit":"1000.0000"},{"account":"VAT","debit":"0.0000","credit":"190.0000"}]}'
  ]
]

it.each(sent)("%s has the bytes that were sent first", (_, given, bytes) => {
  const { entry, status } = entryNumber(7, given)
  assert.strictEqual(String(Buffer.from(SinkEntry.encode(SinkEntry.of(entry, status)))), bytes)
})
