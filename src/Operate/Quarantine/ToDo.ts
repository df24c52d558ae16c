/**
 * What makes a delivery in quarantine readable: one sentence for each reason.
 */
import { labelOnly, type QuarantineReason } from "../../Domain/Event.ts"

const naming = "restart the worker, and run `siteledger replay`: `siteledger doctor --payload FILE` shows what is read."

const nothing =
  "Nothing here: look at it with `siteledger delivery`, and ask the people who run the service to send it again."

const all: Readonly<Record<QuarantineReason | typeof labelOnly | "not-storable", string>> = {
  "too-large": "Raise SITELEDGER_WEBHOOK_MAX_BYTES, restart the worker, and run `siteledger replay`.",
  "not-utf8": nothing,
  "not-json": nothing,
  "not-an-object": nothing,
  "unknown-type":
    "Nothing, if its type needn't be copied; otherwise install a version of siteledger that knows it, and run `siteledger replay`.",
  "type-not-provable": `Name the fields that prove its type (SITELEDGER_FIELD_ALIASES, SITELEDGER_ENVELOPE), ${naming}`,
  "no-key": `Name the field that has the record's id (SITELEDGER_FIELD_ALIASES, SITELEDGER_ENVELOPE), ${naming}`,
  "no-event-time": `Name the field that has its time (SITELEDGER_FIELD_ALIASES, SITELEDGER_ENVELOPE), ${naming}`,
  "event-time-ahead": "Wait: it is read again by itself on its day. If that is far away, check both clocks.",
  "amount-does-not-fit":
    "Find out what the service means: the value isn't an amount of at most 24 digits and 4 decimals.",
  [labelOnly]:
    "If the sender's headers can be trusted, set SITELEDGER_TRUST_TYPE_HEADER=true, restart the worker, and run `siteledger replay`.",
  "not-storable": nothing
}

/** A newer version may have put it there. */
const unknown = "Run the newest version of siteledger, and then `siteledger replay`."

export const toDoOf = (reason: string): string => new Map(Object.entries(all)).get(reason) ?? unknown
