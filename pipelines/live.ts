/**
 * Live: the service's events.
 *
 *   service ──POST──► Receiver ──► Inbox ──► Apply, a batch at a time, in stored order, idempotent:
 *                     verify       durable     events ──► Ledger ──► one write of the Warehouse ──► settled in the Inbox
 *                                  before                 facts →    Change → Merge → rows,
 *                                  the 2xx                entries,   copies of the books
 *                                                         holds
 *
 * Between batches the Ledger hears of what waits in the Inbox, so a payment is posted before its rows are written.
 *
 * Deliveries arrive at least once. A delivery answered 2xx is on disk; what can't be read waits in quarantine.
 */
import { Layer } from "effect"
import * as ConstructionApart from "../connectors/construction/ConstructionApart.ts"
import * as ConstructionSubscription from "../connectors/construction/ConstructionSubscription.ts"
import * as ConstructionWebhooks from "../connectors/construction/ConstructionWebhooks.ts"
import { Apply } from "../src/Intake/Apply.ts"
import { Inbox } from "../src/Intake/Inbox.ts"
import * as Mirror from "../src/Intake/Mirror.ts"
import { Receiver } from "../src/Intake/Receiver.ts"
import { Keyring } from "../src/Intake/Secrets/Keyring.ts"
import { Secrets } from "../src/Intake/Secrets.ts"
import { Seal } from "../src/Runtime/Seal.ts"
import { books, booksAlone } from "./ledger.ts"

/** The part that needs no service: stored events become rows. */
export const applying = Apply.layer.pipe(
  Layer.provideMerge(books),
  Layer.provideMerge(ConstructionApart.layer),
  Layer.provideMerge(Inbox.layer)
)

export const applyingAlone = Apply.layer.pipe(
  Layer.provideMerge(booksAlone),
  Layer.provideMerge(ConstructionApart.layer),
  Layer.provideMerge(Inbox.layer)
)

/** Before the receiver listens, deliveries that the inbox has lost are restored from their copies. */
const mirrored = Layer.provideMerge(Mirror.layer, applying)

/** Sealed in the Store, open in memory. */
export const secrets = Secrets.layer.pipe(Layer.provideMerge(Keyring.layer), Layer.provideMerge(Seal.layer))

export const live = ConstructionSubscription.layer.pipe(
  // The receiver listens before the service is asked to send.
  Layer.provideMerge(Receiver.layer),
  Layer.provideMerge(ConstructionWebhooks.layer),
  Layer.provideMerge(ConstructionWebhooks.Callbacks.layer),
  Layer.provideMerge(secrets),
  Layer.provideMerge(mirrored)
)
