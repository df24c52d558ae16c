/**
 * What to do about a reason: one sentence for each key. A new key is added here first: the compiler accepts no other.
 */

const ofOne = {
  // The service
  token: "Check the client id and secret and the address of the token endpoint, or run `siteledger login` again.",
  service:
    "Wait, because requests are repeated; if this stays, run `siteledger doctor`, and ask the people who run the service.",
  pace: "Check that the store can be written (disk, database): requests go on once they can be counted.",
  pause: "Wait until that time; if the plan is shared with other programs, lower SITELEDGER_REQUESTS_PER_MINUTE.",
  subscription: "See what the service refuses, and check its Admin → API → Webhooks; the worker tries again by itself.",
  "subscription secret":
    "Make the store writable again (disk, database); don't stop this worker until this has cleared.",
  "subscription not reached":
    "Make sure that the service can reach this worker, then fire a test event in its Admin → API → Webhooks.",
  "clock skew": "Synchronise this machine's clock (NTP).",
  // Deliveries
  silence: "Check that the callback URL leads to this worker, and that the service still has the subscription.",
  receiver: "Check the port and the log; if this stays, restart the worker.",
  "receiver-silent": "Restart the worker if this stays.",
  "receiver store": "Free disk space, or bring the database back; the service then sends the deliveries again.",
  "receiver lost":
    "Raise the limit or stop the encoding, replay the deliveries in the service, and run `siteledger replay --refused-seen`.",
  "receiver unproven":
    "Find out who sends them; if they were deliveries, replay them in the service; `siteledger replay --refused-seen` clears this.",
  signatures:
    "Add the secret (`siteledger secret add`), or delete the old subscription in the service's Admin → API → Webhooks.",
  "ending webhook secrets":
    "Give the service's subscription its new secret before the old one ends, or delete that subscription.",
  "unreadable webhook secrets":
    "Start with the key that sealed them (SITELEDGER_KEY, or the file key in the data directory).",
  heartbeat: "Make the store writable again (disk, database): without heartbeats a gap can't be told from uptime.",
  "uptime unsure":
    "Nothing: this clears once the service's last retry of that time has come; check this machine's clock.",
  "inbox lost": "Replay the deliveries of that time in the service's Admin → API → Webhooks, and check the disk.",
  "inbox repaired": "Check the disk.",
  "foreign deliveries": "Find out who can write there.",
  apply: "Wait, because the worker tries again by itself; if this stays, run `siteledger doctor`.",
  "quarantined money":
    "Find out why with `siteledger events --outcome quarantined`, and run `siteledger replay` once they can be read.",
  // The books
  "open holds":
    "Answer them: `siteledger ledger holds` lists the questions, `siteledger ledger accept` and `siteledger ledger reject` answer them.",
  "unheard payments":
    "Replay their deliveries in the service's Admin → API → Webhooks, or add what was paid: `siteledger ledger post`; `siteledger report repaired` lists them.",
  "growing amounts": "State in SITELEDGER_LEDGER_FILE whether certified amounts are cumulative.",
  audit:
    "Run `siteledger ledger verify`, find out who can write there, and restore a backup if the books were changed.",
  // Accounting
  outbox: "Check that the store can be read and written (disk, database).",
  "accounting sink": "Check that the accounting system answers: its entries are sent as soon as it does.",
  "dead messages":
    "See why with `siteledger ledger sink dead`, fix the cause, and run `siteledger ledger sink replay`.",
  "held back": "See which with `siteledger ledger sink dead`, and run `siteledger ledger sink send` or `replay`.",
  "held drafts": "Review them, and run `siteledger ledger sink release`.",
  "outbox waits": "Compare with accounting: `siteledger ledger sink compare FILE`.",
  // Files and copies
  warehouse:
    "Let the worker open the file: check its permissions, the disk space, and whether another program has it open.",
  columns:
    "Wait, because the worker tries again by itself; if this stays, find out what keeps a table locked, and check the disk space.",
  publish: "Free space in the data directory; the worker then makes the copy by itself.",
  export: "Check the lake (permissions, space, network) with `siteledger doctor`; the export is tried again by itself.",
  "delta log": "Find out who writes there, remove the folders `_delta_log` that it names, and run `siteledger export`.",
  "damaged delta log":
    "Find out who can write there, remove the folder `_delta_log` of that table, and run `siteledger export`.",
  "damaged export": "Check the lake with `siteledger lake verify`, and find out who can write there.",
  "damaged older export":
    "Find out who can write there; remove the manifest of that export once no one needs it: `siteledger lake list` names the exports.",
  archive: "Check the lake, and the space in the data directory; the worker tries again in an hour.",
  backup:
    "Check the place that SITELEDGER_BACKUP names (permissions, space, network) with `siteledger doctor`; the backup catches up by itself.",
  "backup refused": "Give this worker a place and a key of its own (SITELEDGER_BACKUP, SITELEDGER_BACKUP_KEY).",
  "backup damaged": "Find out who can write there; `siteledger backup --verify` clears this once the backup is whole.",
  "set aside": "Delete the files that it names when you no longer need them.",
  alert: "Check SITELEDGER_ALERT_URL and the system behind it: alerts are kept and sent in order."
} as const

/** For keys that are followed by a name. */
const ofEach = {
  walk: "Wait, because the walk is repeated; if this stays, look at the list in the service, and run `siteledger doctor`.",
  "look-up":
    "Look at that operation in the service, at its scope (SITELEDGER_SCOPES), and at `detail` and `lookUp` of its list in the review file.",
  gap: "Replay the failed deliveries of that time in the service's Admin → API → Webhooks, then run `siteledger replay --gap-closed TIME`."
} as const

export type ReasonKey = keyof typeof ofOne | `${keyof typeof ofEach} ${string}`

/** For keys that are the name of a pipeline. */
const ofCrash = "Find the crash in the log, and report it; the pipeline is restarted by itself."

const all: ReadonlyMap<string, string> = new Map(Object.entries(ofOne))
const each: ReadonlyMap<string, string> = new Map(Object.entries(ofEach))

export const toDoOf = (key: string): string => all.get(key) ?? each.get(key.split(" ", 1)[0] ?? "") ?? ofCrash

/** For docs/alerts.md. */
export const keys: ReadonlyArray<readonly [key: string, toDo: string]> = [
  ...all,
  ...[...each].map(([key, toDo]) => [`${key} …`, toDo] as const),
  ["(a pipeline's name)", ofCrash]
]
