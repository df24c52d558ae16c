/**
 * Reads a Store that another thread or process writes, through a separate connection.
 */
import { Effect, type Scope } from "effect"
import * as Postgres from "./Postgres/Reading.ts"
import * as Sqlite from "./Sqlite/Reading.ts"
import type { ReadAt, Reader, StoreError } from "./Store.ts"

export const open = (at: ReadAt): Effect.Effect<Reader, StoreError, Scope.Scope> =>
  at.engine === "sqlite" ? Sqlite.open(at.path) : Postgres.open(at.config, at.name)
