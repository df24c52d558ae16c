/**
 * What every pipeline stands on.
 *
 *   Store (SQLite: the system of record) ◄── both know how far it is applied ──► Warehouse (DuckDB: a projection)
 *
 * or, on a server, both in one database, where a transaction spans them:
 *
 *   Store (PostgreSQL, schema siteledger) ◄── one transaction ──► Warehouse (schema construction)
 */
import { Layer } from "effect"
import { Workers } from "../src/Operate/Workers.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import * as Stores from "../src/Stores/Stores.ts"

export const stores = Stores.layer.pipe(Layer.provideMerge(Reasons.layer))

/** For what needs no tables: the warehouse stays untouched. */
export const store = Stores.layerStore

/** What workers on one server know of each other: who is there, and who leads. */
export const others = Workers.layer.pipe(Layer.provideMerge(Stores.layerLeadership))
