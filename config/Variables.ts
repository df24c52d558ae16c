/**
 * The environment variables of the service, of webhooks and of this worker, each declared once: its name, its meaning
 * in one sentence, how it is read, and its default or an example. `Sections` has all of them.
 */
import { BlockList } from "node:net"
import * as Address from "./Address.ts"
import * as bounds from "./Bounds.ts"
import * as Parse from "./Parse.ts"
import { optional, orElse, preset, required, secret } from "./Variable.ts"
import * as WireFiles from "./WireFiles.ts"

/** Our identity at the service's authorization server (interface document §5). */
export const client = {
  /** Without a trailing slash (a bare origin excepted), query or credentials. The token endpoint is `/oauth/token`. */
  authUrl: required(
    "SITELEDGER_AUTH_URL",
    "Base address of the service's token endpoint (without /oauth/token).",
    Address.service,
    "https://auth.service.example.com"
  ),
  clientId: required("SITELEDGER_CLIENT_ID", "OAuth client id.", Parse.plain, "my-client"),
  /** None for a public client (RFC 6749 §2.1), whose tokens come only from a person's login. */
  clientSecret: secret(
    "SITELEDGER_CLIENT_SECRET",
    "OAuth client secret; not needed after `siteledger login` with a public client.",
    Parse.secret,
    "change-me-please"
  ),
  /** Post: also uses Basic if the endpoint asks for it. */
  tokenAuth: preset(
    "SITELEDGER_TOKEN_AUTH",
    "How the token endpoint gets the client secret: post (in the form; if a 401 asks for HTTP Basic, again with that at the same address) or basic (always HTTP Basic).",
    Parse.tokenAuth,
    "post"
  ),
  scopes: orElse(
    optional("SITELEDGER_SCOPES", "OAuth scopes, separated by spaces.", Parse.words(/\s+/), "projects.read ipcs.read"),
    []
  ),
  tokenMaxBytes: bounds.tokenMaxBytes
}

const redirectUri = optional(
  "SITELEDGER_REDIRECT_URI",
  "Where `siteledger login` is sent back to, if the service knows only fixed addresses (if not set, http://127.0.0.1:PORT/callback with a free port); beyond loopback an https URL, forwarded to `--port`.",
  Address.redirect,
  "http://127.0.0.1:8484/callback"
)

const longestPause = preset(
  "SITELEDGER_LONGEST_PAUSE",
  "If the service or its token endpoint asks for a longer pause, like Retry-After of a day, it is asked again after this time.",
  Parse.duration,
  "1 hour"
)

/** What `siteledger login` reads. */
export const login = { ...client, redirectUri, longestPause }

export const service = {
  /** In the form of `authUrl`. */
  baseUrl: required(
    "SITELEDGER_BASE_URL",
    "Address of the service's API, with its version segment.",
    Address.service,
    "https://service.example.com/v1"
  ),
  ...client,
  redirectUri,
  requestsPerMinute: preset(
    "SITELEDGER_REQUESTS_PER_MINUTE",
    "Requests per minute that the plan allows (3000 for Premium).",
    Parse.positiveInteger,
    "600"
  ),
  longestPause,
  walkEvery: preset(
    "SITELEDGER_WALK_EVERY",
    "Pause between two walks through the lists, like 30 minutes.",
    Parse.duration,
    "1 hour"
  ),
  pageSize: preset("SITELEDGER_PAGE_SIZE", "Items requested per list page.", Parse.positiveInteger, "1000"),
  pageMaxBytes: bounds.pageMaxBytes,
  answerMaxBytes: bounds.answerMaxBytes,
  pageParam: preset(
    "SITELEDGER_PAGE_PARAM",
    "Query parameter that carries the page number.",
    Parse.parameterName,
    "page"
  ),
  perPageParam: preset(
    "SITELEDGER_PER_PAGE_PARAM",
    "Query parameter that carries the page size.",
    Parse.parameterName,
    "per_page"
  )
}

/** How a delivery is read. */
export const wire = {
  webhookMaxBytes: preset(
    "SITELEDGER_WEBHOOK_MAX_BYTES",
    "Largest webhook body accepted, in bytes.",
    Parse.positiveInteger,
    "4194304"
  ),
  trustTypeHeader: preset(
    "SITELEDGER_TRUST_TYPE_HEADER",
    "Whether the unsigned type header may choose among the event types that a body proves.",
    Parse.boolean,
    "false"
  ),
  fieldAliases: orElse(
    optional(
      "SITELEDGER_FIELD_ALIASES",
      "JSON file with additional names of payload fields.",
      WireFiles.aliases,
      "./aliases.json"
    ),
    {}
  ),
  envelope: orElse(
    optional(
      "SITELEDGER_ENVELOPE",
      "JSON file with additional places of the contents of deliveries, lists and new subscriptions.",
      WireFiles.envelope,
      "./envelope.json"
    ),
    WireFiles.documented
  )
}

export const webhooks = {
  webhookUrl: required(
    "SITELEDGER_WEBHOOK_URL",
    "Absolute public URL to which the service posts its events.",
    Address.webhook,
    "https://siteledger.example.com/webhooks"
  ),
  /** For subscriptions made by hand; at least 8 characters each. */
  webhookSecrets: orElse(
    secret(
      "SITELEDGER_WEBHOOK_SECRET",
      "Secrets of subscriptions made by hand, separated by commas.",
      Parse.secrets,
      "change-me-please"
    ),
    []
  ),
  /** None for every type of the interface document. */
  webhookEvents: optional(
    "SITELEDGER_WEBHOOK_EVENTS",
    "Event types to subscribe to, separated by commas (all if not set).",
    Parse.words(/[\s,]+/),
    "ipc.certified,ipc.paid"
  ),
  webhookListen: preset(
    "SITELEDGER_WEBHOOK_LISTEN",
    "Host and port of the webhook receiver.",
    Address.listen,
    "127.0.0.1:8080"
  ),
  trustedProxies: orElse(
    optional(
      "SITELEDGER_TRUSTED_PROXIES",
      "Proxies in front of the receiver, addresses or CIDR ranges separated by commas; only they are believed when X-Forwarded-For (or Forwarded) names the sender.",
      Address.ranges,
      "10.0.0.0/8,2001:db8::7"
    ),
    new BlockList()
  ),
  ...wire
}

export const worker = {
  adminListen: preset(
    "SITELEDGER_ADMIN_LISTEN",
    "Host and port for health, status, metrics and the verbs; beyond loopback a token is required.",
    Address.listen,
    "127.0.0.1:8081"
  ),
  /** Always set if `adminListen` is not on loopback. */
  adminToken: secret("SITELEDGER_ADMIN_TOKEN", "Bearer token of the admin listener.", Parse.token, "change-me"),
  alertUrl: secret(
    "SITELEDGER_ALERT_URL",
    "URL that gets one POST when Status turns red, critical or well again, and one a day while holds or quarantined money wait: https, or http to loopback.",
    Address.alert,
    "https://alerts.example.com/siteledger"
  ),
  warehouse: secret(
    "SITELEDGER_WAREHOUSE",
    "The engine: duckdb:PATH (<data dir>/warehouse.duckdb if not set), or postgres://USER:PASSWORD@HOST:PORT/DATABASE.",
    Address.warehouse,
    "duckdb:./data/warehouse.duckdb"
  ),
  memoryMb: bounds.memoryMb,
  /** Absolute, like every path here. */
  dataDir: preset(
    "SITELEDGER_DATA_DIR",
    "Folder of the store, the keys, the lock and the published copy; each worker needs its own.",
    Address.folder,
    "./data"
  ),
  /** 64 hex digits; if there is none, the key is in the data directory. */
  key: secret(
    "SITELEDGER_KEY",
    "Key that encrypts secrets at rest: 64 hex digits, the same for all workers on one database (if not set, <data dir>/key, created at the first start).",
    Parse.key,
    "0".repeat(64)
  ),
  lake: optional(
    "SITELEDGER_LAKE",
    "Where the Parquet exports go: file:PATH (<data dir>/lake if not set), or s3://BUCKET/PREFIX with the AWS SDK's own variables for credentials, region and endpoint.",
    Address.lake,
    "s3://my-bucket/siteledger"
  ),
  lakeAnswerMaxBytes: bounds.lakeAnswerMaxBytes,
  lakeKeep: bounds.lakeKeep,
  lakeKeepFor: bounds.lakeKeepFor,
  lakeDelta: bounds.lakeDelta,
  archiveAfter: bounds.archiveAfter,
  exportCron: preset(
    "SITELEDGER_EXPORT_CRON",
    "When to export: five cron fields, or @hourly, @daily, @weekly, @monthly.",
    Parse.cron,
    "0 2 * * *"
  ),
  timezone: preset(
    "SITELEDGER_TIMEZONE",
    "Time zone of the export cron and of the daily reminder (09:00), and of the books if they have none of their own.",
    Parse.timezone,
    "UTC"
  )
}
