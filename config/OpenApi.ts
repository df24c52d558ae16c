/**
 * The variable of the service's OpenAPI document.
 */
import * as Address from "./Address.ts"
import { optional } from "./Variable.ts"

export const openapi = optional(
  "SITELEDGER_OPENAPI",
  "The service's OpenAPI document, for `siteledger discover`: a path or an http(s) URL, JSON or YAML.",
  Address.document,
  "./openapi.json"
)
