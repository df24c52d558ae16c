/**
 * Every environment variable of siteledger, as data: what it means in one sentence, its default, an example.
 * Settings takes its defaults from here and `config/example.env` is checked against it, so neither can drift.
 * Also here: the names that belong to a later version (refused by name) and the search for the name that a typo meant.
 */

export interface Variable {
  readonly name: string
  readonly meaning: string
  /** Text that is read when the variable is not set; without it the variable is optional, or required. */
  readonly default?: string
  readonly required?: true
  /** May also come from a file named by NAME_FILE, and is never printed. */
  readonly secret?: true
  readonly example?: string
}

export const variables = [
  {
    name: "SITELEDGER_BASE_URL",
    meaning: "Address of the service's API, with its version segment.",
    required: true,
    example: "https://service.example.com/v1"
  },
  {
    name: "SITELEDGER_AUTH_URL",
    meaning: "Address under which the service's token endpoint lives (without /oauth/token).",
    required: true,
    example: "https://auth.service.example.com"
  },
  { name: "SITELEDGER_CLIENT_ID", meaning: "OAuth client id.", required: true, example: "my-client" },
  {
    name: "SITELEDGER_CLIENT_SECRET",
    meaning: "OAuth client secret; not needed after `siteledger login` with a public client.",
    secret: true,
    example: "change-me-please"
  },
  { name: "SITELEDGER_SCOPES", meaning: "OAuth scopes, separated by spaces.", example: "projects.read ipcs.read" },
  {
    name: "SITELEDGER_REQUESTS_PER_MINUTE",
    meaning: "Requests per minute that the plan allows (3000 for Premium).",
    default: "600"
  },
  {
    name: "SITELEDGER_WALK_EVERY",
    meaning: "Pause between two walks over the lists, like 30 minutes.",
    default: "1 hour"
  },
  { name: "SITELEDGER_PAGE_SIZE", meaning: "Items asked for per list page.", default: "1000" },
  { name: "SITELEDGER_PAGE_PARAM", meaning: "Query parameter that carries the page number.", default: "page" },
  { name: "SITELEDGER_PER_PAGE_PARAM", meaning: "Query parameter that carries the page size.", default: "per_page" },
  {
    name: "SITELEDGER_WEBHOOK_URL",
    meaning: "Absolute public URL to which the service posts its events.",
    required: true,
    example: "https://siteledger.example.com/webhooks"
  },
  {
    name: "SITELEDGER_WEBHOOK_SECRET",
    meaning: "Secrets of subscriptions made by hand, separated by commas.",
    secret: true,
    example: "change-me-please"
  },
  {
    name: "SITELEDGER_WEBHOOK_EVENTS",
    meaning: "Event types to subscribe to, separated by commas (all when not set).",
    example: "ipc.certified,ipc.paid"
  },
  { name: "SITELEDGER_WEBHOOK_LISTEN", meaning: "Host and port of the webhook receiver.", default: "127.0.0.1:8080" },
  { name: "SITELEDGER_WEBHOOK_MAX_BYTES", meaning: "Largest webhook body accepted, in bytes.", default: "4194304" },
  {
    name: "SITELEDGER_TRUST_TYPE_HEADER",
    meaning: "Whether the unsigned type header may choose among the event types that a body proves.",
    default: "false"
  },
  {
    name: "SITELEDGER_FIELD_ALIASES",
    meaning: "JSON file of further names for payload fields.",
    example: "./aliases.json"
  },
  {
    name: "SITELEDGER_ADMIN_LISTEN",
    meaning: "Host and port of health, status, metrics and the verbs; beyond loopback it needs a token.",
    default: "127.0.0.1:8081"
  },
  {
    name: "SITELEDGER_ADMIN_TOKEN",
    meaning: "Bearer token of the admin listener.",
    secret: true,
    example: "change-me"
  },
  {
    name: "SITELEDGER_ALERT_URL",
    meaning: "Where one POST goes when Status turns red and one when it recovers: https, or http to loopback.",
    secret: true,
    example: "https://alerts.example.com/siteledger"
  },
  {
    name: "SITELEDGER_WAREHOUSE",
    meaning:
      "The engine: duckdb:PATH (<data dir>/warehouse.duckdb when not set), or postgres://USER:PASSWORD@HOST:PORT/DATABASE.",
    secret: true,
    example: "duckdb:./data/warehouse.duckdb"
  },
  {
    name: "SITELEDGER_DATA_DIR",
    meaning: "Folder of the store, the keys, the lock and the published copy; each worker has its own.",
    default: "./data"
  },
  {
    name: "SITELEDGER_KEY",
    meaning:
      "Key that secrets are sealed with at rest, 64 hex digits, shared by all workers on one database (<data dir>/key, made at the first start, when not set).",
    secret: true,
    example: "0000000000000000000000000000000000000000000000000000000000000000"
  },
  {
    name: "SITELEDGER_LAKE",
    meaning:
      "Where the Parquet exports go: file:PATH (<data dir>/lake when not set), or s3://BUCKET/PREFIX with the AWS SDK's own variables for credentials, region and endpoint.",
    example: "s3://my-bucket/siteledger"
  },
  {
    name: "SITELEDGER_EXPORT_CRON",
    meaning: "When to export: five cron fields, or @hourly, @daily, @weekly, @monthly.",
    default: "0 2 * * *"
  },
  { name: "SITELEDGER_TIMEZONE", meaning: "Time zone of the export cron.", default: "UTC" },
  {
    name: "SITELEDGER_LEDGER_PERSPECTIVE",
    meaning: "Whose books: contractor (debit bank, credit receivable) or employer (debit payable, credit bank).",
    default: "contractor"
  },
  {
    name: "SITELEDGER_LEDGER_DEBIT_ACCOUNT",
    meaning: "Account that a payment debits (by perspective: bank or payable, when not set).",
    example: "1200"
  },
  {
    name: "SITELEDGER_LEDGER_CREDIT_ACCOUNT",
    meaning: "Account that a payment credits (by perspective: receivable or bank, when not set).",
    example: "1400"
  },
  {
    name: "SITELEDGER_LEDGER_CURRENCY",
    meaning: "Currency of the entries, and of single projects where it differs (none when not set).",
    example: "EUR 4711=USD"
  },
  {
    name: "SITELEDGER_LEDGER_OPEN_FROM",
    meaning: "First day of the open accounting period, in UTC (no period is closed when not set).",
    example: "2026-01-01"
  },
  {
    name: "SITELEDGER_LEDGER_CLOSED_PERIOD",
    meaning: "What becomes of an entry that is effective before that day: hold, or post into the open period.",
    default: "hold"
  },
  {
    name: "SITELEDGER_LEDGER_SINK_URL",
    meaning: "Where each entry is posted to as JSON: https, or http on this machine (nowhere when not set).",
    example: "https://books.example.com/entries"
  },
  {
    name: "SITELEDGER_LEDGER_SINK_SECRET",
    meaning: "Key of the signature that each posted entry carries; needed with the URL.",
    secret: true,
    example: "change-me-please"
  },
  {
    name: "SITELEDGER_LEDGER_SINK_STATUS",
    meaning: "How the accounting system is to take an entry: draft, for a person to release, or posted.",
    default: "draft"
  },
  {
    name: "LOG_LEVEL",
    meaning: "Least level logged: trace, debug, info, warn, error, fatal, all, none.",
    default: "info"
  },
  { name: "LOG_FORMAT", meaning: "Form of the log on stderr: pretty, json or logfmt.", default: "pretty" },
  { name: "NO_COLOR", meaning: "Any value turns colours off.", example: "1" }
] as const satisfies ReadonlyArray<Variable>

export type Name = (typeof variables)[number]["name"]

const byName: ReadonlyMap<Name, Variable> = new Map(variables.map((variable) => [variable.name, variable]))

export const variable = (name: Name): Variable => byName.get(name) ?? { name, meaning: "" }

/** Names of a version to come. */
export const later: ReadonlyArray<string> = ["SITELEDGER_OPENAPI"]

export const isLater = (name: string): boolean => later.includes(name)

export const readable: ReadonlyArray<string> = variables.flatMap((entry: Variable) =>
  entry.secret === true ? [entry.name, `${entry.name}_FILE`] : [entry.name]
)

const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const swap = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, swap))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}

/** The known name that an unknown one most likely meant; undefined when none is near. */
export const nearest = (name: string): string | undefined => {
  // A quarter of what follows the prefix may be wrong: short names lie close together without being typos.
  const allowed = Math.max(2, Math.floor((name.length - "SITELEDGER_".length) / 4))
  const candidates = readable
    .map((known) => ({ known, edits: distance(name, known) }))
    .filter(({ edits }) => edits <= allowed)
    .toSorted((a, b) => a.edits - b.edits)
  return candidates[0]?.known
}
