/**
 * Variables that only `siteledger migrate` and `siteledger erase` read: a worker that knew them could change the books.
 */
import * as Address from "./Address.ts"
import { secret } from "./Variable.ts"

export const migration = {
  migrateUrl: secret(
    "SITELEDGER_MIGRATE_URL",
    "The database of SITELEDGER_WAREHOUSE as the role that owns the ledger's tables, for `siteledger migrate` and `siteledger erase` alone: keep it out of the workers' environment.",
    Address.server,
    "postgres://siteledger_owner:PASSWORD@db.example.com:5432/siteledger"
  )
}
