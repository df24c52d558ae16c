/**
 * How the command line reaches a worker that isn't its own, and as whom it calls its own.
 */
import * as Address from "./Address.ts"
import * as Parse from "./Parse.ts"
import { optional, secret } from "./Variable.ts"

export const asking = {
  workerUrl: optional(
    "SITELEDGER_WORKER_URL",
    "Address of the admin listener that verbs go through (if not set, that of the worker on SITELEDGER_DATA_DIR).",
    Address.worker,
    "https://siteledger.example.com"
  ),
  token: secret(
    "SITELEDGER_TOKEN",
    "Token of the principal that asks the worker (if not set, the worker's own user asks).",
    Parse.token,
    `slp_${"0".repeat(64)}`
  )
}
