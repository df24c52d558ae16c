/**
 * The formats of `siteledger ledger write`, by name.
 */
import type { Format } from "./Format.ts"
import { hledger } from "./Hledger.ts"
import { sage } from "./Sage.ts"
import { sap } from "./Sap.ts"
import { xlsx } from "./Xlsx.ts"

export const names = ["hledger", "xlsx", "sage", "sap"] as const

export const formats: Readonly<Record<(typeof names)[number], Format>> = { hledger, xlsx, sage, sap }
