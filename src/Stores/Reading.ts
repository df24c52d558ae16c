/**
 * Reads a Store that another thread of this process, or another process, writes: with a connection of its own.
 */
import { Effect, type Scope } from "effect"
import * as Postgres from "./Postgres/Reading.ts"
import * as Sqlite from "./Sqlite/Reading.ts"
import type { ReadAt, Reader, StoreError } from "./Store.ts"

export const open = (at: ReadAt): Effect.Effect<Reader, StoreError, Scope.Scope> =>
  at.engine === "sqlite" ? Sqlite.open(at.path) : Postgres.open(at.config, at.name)
