/**
 * `GET /status`: the state of a worker as JSON. Its names are a contract: fields are added, never renamed.
 */
import { Schema } from "effect"
import { levels } from "../../Runtime/Reasons.ts"

const Count = Schema.Int
/** With fractions. */
const Millis = Schema.Finite
const Time = Schema.NullOr(Schema.String)

export const Phase = Schema.Literals(["starting", "backfilling", "live", "catching-up", "degraded"])
export type Phase = typeof Phase.Type

const Inbox = Schema.Struct({
  pending: Count,
  quarantined: Count,
  /**
   * How many quarantined events changed rows but posted nothing, because only the label of a later delivery names the
   * type.
   */
  unposted: Count,
  oldestPendingAgeMs: Millis,
  /** Deliveries in archives. */
  archived: Count
})

const Walk = Schema.Struct({
  pagesDone: Count,
  pagesTotal: Count,
  /** Distinct rows of the current pass. */
  rows: Count,
  /** `running` until the first pass ends, then the verdict of the last finished pass. */
  proof: Schema.Literals(["running", "unproven", "counts-agree", "passes-agree", "proven"]),
  at: Time,
  quarantined: Count,
  /** When the list's changes were last read; null if the list isn't asked for them, or not yet. */
  changedAt: Time,
  /** When the copy is next proven, if nothing changes until then; null if not known yet. */
  nextProofAt: Time,
  /** For the pass under way, or for the next one over the whole list; null if not known yet. */
  requestsLeft: Schema.NullOr(Count),
  /** For a child list: how many parents the last pass found, and below how many of them the copy is proven. */
  parents: Schema.NullOr(Schema.Struct({ found: Count, proven: Count }))
})

const Subscription = Schema.Struct({
  url: Schema.String,
  /** When the first signed delivery (a ping) arrived; null until then. */
  verifiedAt: Time,
  /** Callback URLs of `toDelete`. */
  obsolete: Schema.Array(Schema.String),
  /** Subscriptions that are no longer needed and should be deleted in the service's administration. */
  toDelete: Schema.Array(
    Schema.Struct({
      url: Schema.String,
      createdAt: Schema.String,
      isSecretLost: Schema.Boolean,
      fingerprint: Schema.String
    })
  )
})

const Receiver = Schema.Struct({
  port: Count,
  accepted: Count,
  rejected: Count,
  tooLarge: Count,
  encoded: Count,
  notStored: Count
})

/** How far our clock is ahead of the service's, in ms; null while not known. */
const ClockSkew = Schema.Struct({
  /** According to the Date of the newest answer, to the second. */
  answers: Schema.NullOr(Millis),
  /** The minimum of received − X-Service-Timestamp (not signed) over the newest first deliveries of the last hour. */
  deliveries: Schema.NullOr(Millis),
  /** The minimum of received − event_timestamp over the newest events of the last hour. */
  events: Schema.NullOr(Millis)
})

const Secrets = Schema.Struct({ valid: Count, ending: Count, unreadable: Count, signedByEnding: Count })

/** An interval in which the receiver was down and which no retry of the service has healed yet. */
const Gap = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  /** When it will be healed if the receiver stays up; null when only a person can help. */
  healsAt: Time,
  isLost: Schema.Boolean,
  /** How many of its deliveries have arrived since it was lost; null before that. The service gives no total. */
  cameLate: Schema.NullOr(Count)
})
export type GapStatus = typeof Gap.Type

const Ledger = Schema.Struct({
  entries: Count,
  holds: Count,
  /** The hold that has waited longest, and why. */
  oldestHold: Schema.NullOr(
    Schema.Struct({
      reason: Schema.String,
      since: Schema.String,
      ipcId: Schema.String,
      amount: Schema.NullOr(Schema.String),
      currency: Schema.NullOr(Schema.String)
    })
  ),
  /** The first day of the open period, in the books' time zone; null if nothing is closed. */
  openFrom: Schema.NullOr(Schema.String),
  /** From received to posted, over the last thousand entries that an event caused. */
  postedMs: Schema.Struct({ p50: Schema.NullOr(Millis), p99: Schema.NullOr(Millis) }),
  /** Null if none is configured and nothing is left from an earlier one. */
  sink: Schema.NullOr(Schema.Struct({ backlog: Count, dead: Count, oldestPendingAgeMs: Millis }))
})

export const Reason = Schema.Struct({
  key: Schema.String,
  level: Schema.Literals(levels),
  sentence: Schema.String,
  /** When it became active. */
  since: Schema.String,
  /** In one sentence. */
  toDo: Schema.String
})

/** The backup off the machine. */
const Backup = Schema.Struct({
  /** Its location. */
  to: Schema.String,
  /** Every delivery that was acknowledged until then is in it; null until this process has brought it up to date. */
  at: Time,
  ageMs: Schema.NullOr(Millis),
  /** The number of files in it. */
  chunks: Count,
  /** When it was last read back and compared. */
  verifiedAt: Time,
  /** Why it can't continue now, in a sentence. */
  error: Schema.NullOr(Schema.String)
})
export type BackupStatus = typeof Backup.Type

const Worker = Schema.Struct({
  host: Schema.String,
  pid: Count,
  startedAt: Schema.String,
  seenAt: Schema.String,
  /** It has reported within the last ten seconds. */
  isUp: Schema.Boolean,
  /** It walks, exports and sends to the accounting sink. */
  isLeader: Schema.Boolean,
  /** It is the worker that gave this answer. */
  isThis: Schema.Boolean,
  /** Its own reasons, if something is wrong. */
  reasons: Schema.Array(Schema.String),
  /** The same with their levels, plus its notices. */
  reasonDetails: Schema.Array(Reason)
})
export type WorkerStatus = typeof Worker.Type

/** Long work: how much of it is done. */
const Task = Schema.Struct({
  name: Schema.String,
  /** The unit that is counted. */
  unit: Schema.String,
  done: Count,
  total: Count,
  startedAt: Schema.String
})

export const StatusReport = Schema.Struct({
  /** The version of siteledger. */
  version: Schema.String,
  /** The machine's name. */
  host: Schema.String,
  /** When the process started. */
  startedAt: Schema.String,
  phase: Phase,
  /** Sentences, if something is wrong. */
  reasons: Schema.Array(Schema.String),
  /** The same with their levels, critical ones first, then notices, which don't change the phase. */
  reasonDetails: Schema.Array(Reason),
  inbox: Inbox,
  events: Schema.Record(Schema.String, Count),
  backfill: Schema.Record(Schema.String, Walk),
  /** Learned columns, and values of listed records that didn't fit their column, since the start. */
  learned: Schema.Struct({ columns: Count, misfits: Count }),
  /**
   * By table: records that wait to be looked up, how long the first has waited, and look-ups that were and weren't
   * answered since the start.
   */
  lookUps: Schema.Record(
    Schema.String,
    Schema.Struct({ waiting: Count, oldestWaitingAgeMs: Millis, done: Count, failed: Count })
  ),
  api: Schema.Struct({ limitPerMinute: Count, usedLastMinute: Count }),
  subscription: Subscription,
  receiver: Receiver,
  secrets: Secrets,
  lastEventAt: Time,
  clockSkewMs: ClockSkew,
  gaps: Schema.Array(Gap),
  ledger: Ledger,
  export: Schema.Struct({ lastAt: Time, nextAt: Time }),
  published: Schema.Struct({ at: Time, ageMs: Schema.NullOr(Millis) }),
  /** The weekly check of all files: pieces read in this pass, and when the last pass ended. */
  check: Schema.Struct({ done: Count, of: Count, at: Time }),
  /** Null if none is configured. */
  backup: Schema.NullOr(Backup),
  /** What is in progress, oldest first: exports, backups, audits. */
  tasks: Schema.Array(Task),
  /** All workers that share the database; empty where only one is possible. */
  workers: Schema.Array(Worker)
})
export type StatusReport = typeof StatusReport.Type
