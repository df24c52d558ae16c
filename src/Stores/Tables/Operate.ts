/**
 * What the program stores about itself.
 */
import {
  instant,
  int32,
  int64,
  json,
  matching,
  numbered,
  optional,
  required,
  type Tables,
  text,
  truth
} from "../Table.ts"

const sha256 = matching(/^[0-9a-f]{64}$/)

/** Facts in `meta` that other files also hold, or that change with every batch, aren't logged (`RowLog`). */
export const unlogged = "key not in ('applied_through', 'inbox', 'inbox_touched', 'row_log')"

export const operate = {
  meta: {
    says: "Single facts: the service's identity, the warehouse's id, how far the inbox is applied.",
    key: ["key"],
    isLogged: true,
    columns: { key: required(text, "The name of the fact."), value: required(text, "Its value.") }
  },
  row_changes: {
    says: "Rows that changed and aren't yet in the log of rows beside the store.",
    since: 2,
    key: ["id"],
    only: "sqlite",
    columns: {
      id: numbered("Its sequence number."),
      table_name: required(text, "The row's table."),
      row_key: required(json, "The values of its key, as a JSON array.")
    }
  },
  workers: {
    says: "The workers that share the Store.",
    key: ["id"],
    only: "postgres",
    columns: {
      id: required(text, "Its id, new at each start."),
      host: required(text, "The machine it runs on."),
      pid: required(int32, "Its process id there."),
      started_at: required(instant, "When it started."),
      seen_at: required(instant, "When it last reported that it is running."),
      is_leader: required(truth, "Whether it does the work that only one worker may do."),
      reasons: required(json, "Why it isn't healthy, as a JSON array of sentences."),
      reason_details: optional(
        json,
        "The same with keys, levels and times, and its notices, as a JSON array; null from a worker of version 0.1.",
        { since: 2 }
      ),
      version: optional(text, "The version of siteledger that it runs; null from a worker of version 0.1.", {
        since: 4
      })
    }
  },
  principals: {
    says: "Who may ask the workers for what, each with a token of their own.",
    since: 5,
    key: ["name"],
    isLogged: true,
    columns: {
      name: required(text, "Its name, as decisions record it: never used twice."),
      roles: required(json, "Its roles, as a JSON array: read, decide, operate."),
      token_sha256: required(sha256, "The SHA-256 of its token, which is nowhere."),
      added_at: required(instant, "When it was added."),
      added_by: required(text, "The principal that added it."),
      rotated_at: optional(instant, "When it got its present token; null if that is the first."),
      revoked_at: optional(instant, "Since when it may do nothing; null while it may."),
      revoked_by: optional(text, "The principal that revoked it.")
    }
  },
  admin_log: {
    says: "What was asked of the workers that changes something, written before it is done. Append-only.",
    since: 5,
    key: ["number"],
    isLogged: true,
    isAppendOnly: true,
    columns: {
      number: numbered("Its sequence number."),
      at: required(instant, "When it was asked."),
      principal: required(text, "Who asked: a principal, admin, or os: and a user of the operating system."),
      verb: required(text, "The verb, as `AdminApi` names it."),
      noted_by: optional(text, "The name given with --by, a note; null if the verb takes none.")
    }
  },
  erasures: {
    says: "What people had erased: each value or record by its salted hash, so that it is known when it comes again. Linked by hashes.",
    since: 8,
    key: ["number"],
    isLogged: true,
    columns: {
      number: numbered("Its sequence number."),
      asked_at: required(instant, "When it was asked for."),
      asked_by: required(text, "Who asked for it, as given."),
      reason: required(text, "The reason given."),
      table_name: optional(text, "The table of the record that was erased; null: it was a value."),
      field: optional(text, "The name of the fields that a value was erased from; null: all."),
      salt: required(sha256, "Random, and the same for all that one store erases."),
      value_sha256: required(
        sha256,
        "SHA-256 of the salt, the field and the value, which is nowhere; or of the salt, the table and the record's id."
      ),
      value_length: required(int32, "How many UTF-16 units the value has; 0 for a record."),
      is_within: required(int32, "1 if a value was erased from longer texts, too; otherwise 0."),
      chain: optional(
        sha256,
        "The hash of the erasure before it, of this one, and of the bodies in erased_bodies; null until it is removed from every file."
      )
    }
  },
  erased_bodies: {
    says: "Bodies that have lost something to an erasure, each by the hash of what had come: it is never taken again.",
    since: 8,
    key: ["body_sha256"],
    isLogged: true,
    columns: {
      body_sha256: required(sha256, "SHA-256 of the body as it had come."),
      erasure: required(int64, "The first erasure that it lost something to (erasures.number)."),
      sequence: optional(
        int64,
        "The delivery (inbox.sequence); null for an answer that a fact of a look-up rests on, or in archives of an earlier inbox."
      )
    }
  },
  // Not logged: if they are lost with the store, people sign in again.
  sessions: {
    says: "Who is signed in to the dashboard.",
    since: 6,
    key: ["session_sha256"],
    columns: {
      session_sha256: required(sha256, "The SHA-256 of the secret in the browser's cookie, which is nowhere."),
      principal: required(text, "Who signed in: a principal, admin, or os: and a user of the operating system."),
      token_sha256: optional(
        sha256,
        "The SHA-256 of the token given to sign in, which must still be valid; null if the operating system named the user."
      ),
      begun_at: required(instant, "When it began."),
      ends_at: required(instant, "When it ends by itself.")
    }
  },
  history: {
    says: "What each worker did in each minute of the last day, for the dashboard's charts.",
    since: 6,
    key: ["minute", "worker"],
    columns: {
      worker: required(text, "The worker (workers.id), or alone where there is only one."),
      minute: required(instant, "When the minute began."),
      deliveries: required(int32, "Deliveries that it took: answered 2xx."),
      visible: required(
        json,
        "How long events took from received to visible, as a JSON object: by n, how many took up to 2^(n/16) ms, but more than the n before."
      ),
      posted: required(json, "The same from received to posted, of entries that an event caused."),
      requests: required(int32, "Requests that it sent to the service."),
      request_limit: required(int32, "How many the plan allows all workers in a minute.")
    }
  },
  alerts: {
    says: "Alerts about Status, sent or still to be sent; the newest one holds the last status reported.",
    key: ["id"],
    columns: {
      id: numbered("Its sequence number."),
      status: required(text, "The status that it reports."),
      body: required(json, "Its body, as JSON."),
      delivered_at: optional(instant, "When it was delivered; null until then.")
    }
  },
  // Not among the alerts, because version 0.1 fails on a status that it doesn't know.
  reminders: {
    says: "Daily reminders of what waits for a person, sent or still to be sent.",
    since: 2,
    key: ["id"],
    columns: {
      id: numbered("Its sequence number."),
      body: required(json, "Its body, as JSON."),
      delivered_at: optional(instant, "When it was delivered; null until then.")
    }
  }
} satisfies Tables
