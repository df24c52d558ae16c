/**
 * The layers on which a verb runs if no worker is running: the stores are opened for one verb, and nothing walks,
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
import { Ahead, Threads } from "../src/Operate/Audit/Ahead.ts"
import { Outbox } from "../src/Ledger/Outbox.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"

export const exporting = exports.pipe(Layer.provideMerge(Inbox.layer), Layer.provideMerge(storesAlone))

export const secrets = sealed.pipe(Layer.provide(Reasons.layer), Layer.provideMerge(store))

export const books = booksAlone.pipe(Layer.provideMerge(storesAlone), Layer.provideMerge(Settings.layer))

const reader = ConstructionApart.layerAlone.pipe(Layer.provide(Settings.layer))

/**
 * The same, with an audit that begins as soon as the Store is open. Its threads come first, because opening the Store
 * blocks.
 */
export const audit = Layer.mergeAll(
  Ahead.layer.pipe(Layer.provide(Layer.mergeAll(Threads.layer, reader, store))),
  reader,
  books
)

/** Both stores, for reading. */
export const stored = storesAlone

/** Only the Store, and the chart. */
export const journal = store.pipe(Layer.provideMerge(Settings.layer))

export const outbox = Outbox.layerAlone.pipe(Layer.provideMerge(store))

export const principals = store

export const history = store

export const walks = store

export const quarantine = store
