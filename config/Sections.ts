/**
 * Every environment variable of siteledger, in the order in which people see them. config/example.env and
 * docs/configuration.md are generated from this, and a similar but unknown name is reported as a likely typo.
 */
import { sections as accounting } from "./Accounting.ts"
import { asking } from "./Asking.ts"
import { backup } from "./Backup.ts"
import { posting, waiting } from "./Ledger.ts"
import { log } from "./Log.ts"
import { migration } from "./Migration.ts"
import { offered } from "./OpenApi.ts"
import { telemetry } from "./Telemetry.ts"
import type { Variables } from "./Variable.ts"
import { service, webhooks, worker } from "./Variables.ts"

export const sections: ReadonlyArray<readonly [title: string, variables: Variables]> = [
  ["The service: address, credentials, pace, paging", service],
  ["What the service offers", offered],
  ["Webhooks", webhooks],
  ["This worker: admin listener, storage, export", worker],
  ["Asking a worker, as a principal", asking],
  ["Backup off the machine", backup],
  ["Migrations on PostgreSQL", migration],
  ["The ledger", { ...posting, ...waiting }],
  ...accounting,
  ["The log", log],
  ["Telemetry: OpenTelemetry", telemetry]
]

export const variables = sections.flatMap(([, group]) => Object.values(group))
