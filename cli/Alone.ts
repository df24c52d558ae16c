/**
 * The layers that a verb runs on when no worker is running: the stores are opened for one verb, and nothing walks,
 * listens or sends.
 */
import { Layer } from "effect"
import * as Settings from "../config/Settings.ts"
import * as ConstructionApart from "../connectors/construction/ConstructionApart.ts"
import { booksAlone } from "../pipelines/ledger.ts"
import { secrets as sealed } from "../pipelines/live.ts"
import { exporting as exports } from "../pipelines/nightly.ts"
import { store, storesAlone } from "../pipelines/stores.ts"
import { Inbox } from "../src/Intake/Inbox.ts"
import { Ahead } from "../src/Operate/Audit/Taking.ts"
import { Outbox } from "../src/Ledger/Outbox.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"

export const exporting = exports.pipe(Layer.provideMerge(Inbox.layer), Layer.provideMerge(storesAlone))

export const secrets = sealed.pipe(Layer.provide(Reasons.layer), Layer.provideMerge(store))

export const books = booksAlone.pipe(Layer.provideMerge(storesAlone), Layer.provideMerge(Settings.layer))

/** The same, with what reads signed bodies; the books are verified from when the Store is open. */
export const audit = Layer.provideMerge(ConstructionApart.layerAlone, books).pipe(
  Layer.merge(Ahead.layer.pipe(Layer.provide(store)))
)

/** Both stores, to be read. */
export const stored = storesAlone

/** The Store alone, and the chart. */
export const journal = store.pipe(Layer.provideMerge(Settings.layer))

export const outbox = Outbox.layerAlone.pipe(Layer.provideMerge(store))

export const principals = store

export const history = store

export const walks = store

export const quarantine = store
