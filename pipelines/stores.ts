/**
 * The stores below every pipeline.
 *
 *   Store (SQLite: the system of record) ◄── both have the watermark ──► Warehouse (DuckDB: a projection)
 *
 * or, on a server, both in one database, where a transaction spans them:
 *
 *   Store (PostgreSQL, schema siteledger) ◄── one transaction ──► Warehouse (schema construction)
 */
import { Layer } from "effect"
import * as Archiving from "../src/Lake/Archiving.ts"
import { Workers } from "../src/Operate/Workers.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import * as Stores from "../src/Stores/Stores.ts"
import { lake } from "./nightly.ts"

/** Old deliveries may be in archives; the lake has the second copy of these. */
const elsewhere = Archiving.layerElsewhere(lake)

export const stores = Stores.layerWaiting.pipe(Layer.provideMerge(Reasons.layer), Layer.provide(elsewhere))

/** For a single verb. Fails if the warehouse can't be opened. */
export const storesAlone = Stores.layer.pipe(Layer.provideMerge(Reasons.layer), Layer.provide(elsewhere))

/** The Store alone; the warehouse stays untouched. */
export const store = Stores.layerStore.pipe(Layer.provide(elsewhere))

/** Which workers are on one server, and which one leads. */
export const others = Workers.layer.pipe(Layer.provideMerge(Stores.layerLeadership))
