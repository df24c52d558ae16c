/**
 * All tables of the Store, the system of record, and their rows as Kysely's types.
 *
 * Times are Instants (text) or milliseconds (`_ms`), amounts canonical text.
 */
import { listed, type RowOf } from "./Table.ts"
import { intake } from "./Tables/Intake.ts"
import { lake } from "./Tables/Lake.ts"
import { ledger } from "./Tables/Ledger.ts"
import { operate } from "./Tables/Operate.ts"
import { walk } from "./Tables/Walk.ts"

export const described = { ...operate, ...intake, ...walk, ...lake, ...ledger }

export type StoreTables = { [Name in keyof typeof described]: RowOf<(typeof described)[Name]> }

/** Each after the tables to which it refers. */
export const storeTables = listed(described)
