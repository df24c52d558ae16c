/**
 * Ledger: entries of the books go to the accounting system.
 *
 *   Ledger ──entry──► Outbox ──► Sink ──► Adapter ──► accounting system
 *           one       in the     retried,  a signed POST, Xero,
 *           transaction Store    in order  QuickBooks or Tryton
 *                                per IPC
 *
 * Delivery is at-least-once; the entry's key makes it exactly-once. A refused entry becomes a dead letter and waits for
 * a person.
 */
import { Layer } from "effect"
import { adapter } from "../connectors/Accounting.ts"
import { Copies } from "../src/Ledger/Copies.ts"
import { Ledger } from "../src/Ledger/Ledger.ts"
import * as Sink from "../src/Ledger/Outbox/Sink.ts"
import { layerHttp } from "../src/Runtime/Program.ts"

/** The books with their outbox and their copies in the warehouse: enough to post without sending. */
export const books = Layer.provideMerge(Copies.layer, Ledger.layer)

/** The same for a verb without a worker, by the newest worker's terms. */
export const booksAlone = Layer.provideMerge(Copies.layer, Ledger.layerAlone)

export const sending = Sink.layerFor(adapter).pipe(Layer.provide(layerHttp))
