/**
 * The variables of the service's OpenAPI document, and of the file that says which parts of it are synced.
 */
import * as Address from "./Address.ts"
import * as Parse from "./Parse.ts"
import { optional } from "./Variable.ts"

export const offered = {
  openapi: optional(
    "SITELEDGER_OPENAPI",
    "The service's OpenAPI document, for `siteledger discover`: a path or an http(s) URL, JSON or YAML.",
    Address.document,
    "./openapi.json"
  ),
  resources: optional(
    "SITELEDGER_RESOURCES",
    "The review file that `siteledger discover` wrote and you edited: lists that are on in it are walked, each into a table of its own.",
    Parse.plain,
    "./resources.json"
  )
}
