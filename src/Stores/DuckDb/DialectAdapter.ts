/**
 * What Kysely should know about DuckDB: DDL is transactional, RETURNING works, there is no advisory lock.
 *
 * The migration lock does nothing, because one process owns the file and holds its own lock on it.
 * If the process dies in the middle of a migration, the transaction around it is rolled back at the next open.
 */
import { DialectAdapterBase } from "kysely"

export class Adapter extends DialectAdapterBase {
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  override get supportsReturning(): boolean {
    return true
  }

  override async acquireMigrationLock(): Promise<void> {}

  override async releaseMigrationLock(): Promise<void> {}
}
