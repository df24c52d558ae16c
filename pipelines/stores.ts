/**
 * What every pipeline stands on.
 *
 *   Store (SQLite: the system of record) ◄── the seam ──► Warehouse (DuckDB: a projection, made again when it must)
 */
import { Layer } from "effect"
import { Reasons } from "../src/Reasons.ts"
import * as Sqlite from "../src/Store/Sqlite.ts"
import * as DuckDb from "../src/Warehouse/DuckDb.ts"

export const stores = DuckDb.layer.pipe(Layer.provideMerge(Sqlite.layer), Layer.provideMerge(Reasons.layer))
