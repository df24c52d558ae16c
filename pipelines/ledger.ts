/**
 * Ledger: what the books say goes to the accounting system.
 *
 *   Ledger ──entry──► Outbox ──POST──► Sink ──► accounting system
 *           one       in the Store     signed, retried, in order per IPC
 *           transaction
 *
 * Out: at-least-once, so once by the entry's key. What is refused waits as a dead letter for a person.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer } from "effect"
import { Copies } from "../src/Ledger/Copies.ts"
import { Ledger } from "../src/Ledger/Ledger.ts"
import * as Sink from "../src/Ledger/Outbox/Sink.ts"

/** The books with their outbox, and what the warehouse has of them: enough to post, without sending. */
export const books = Layer.provideMerge(Copies.layer, Ledger.layer)

/** The same for a verb without a worker: by the terms of the newest worker. */
export const booksAlone = Layer.provideMerge(Copies.layer, Ledger.layerAlone)

export const sending = Sink.layer.pipe(Layer.provide(NodeHttpClient.layerUndici))
