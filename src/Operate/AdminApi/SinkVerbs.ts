/**
 * The verbs of delivery to the accounting system.
 */
import { Schema } from "effect"
import { Posted, Text } from "./LedgerVerbs.ts"
import { nothing, verb } from "./Verb.ts"

const DeadMessage = Schema.Struct({
  sequence: Schema.Int,
  entry_id: Schema.String,
  ipc_id: Schema.String,
  queued_at: Schema.String,
  /** Later entries of the IPC, which wait for this one. */
  waiting_behind: Schema.Int,
  reason: Schema.String
})

const Totals = Schema.Array(
  Schema.Struct({
    currency: Text,
    /** For accruals and their reversals; otherwise for payments and their corrections. */
    isAccrued: Schema.Boolean,
    entries: Schema.Int,
    amount: Schema.String
  })
)

const Comparison = Schema.Struct({
  /** Why the outbox waits, if it does. */
  waits: Text,
  /** Entries that both have. */
  same: Schema.Int,
  /** Lines of the file without an entry's id. */
  others: Schema.Int,
  /** Sentences; a person has to look before anything is taken over. */
  different: Schema.Array(Schema.String),
  /** Only in the file. */
  unknown: Totals,
  /** Sent according to our record, but not in the file. */
  missing: Totals,
  /** Entries in the file that count as delivered from now on. */
  settles: Schema.Int,
  /** IPCs with entries that are only in the file. */
  ipcs: Schema.Int,
  /** Entries of these IPCs that were posted since and won't be sent. */
  cancels: Schema.Int
})

export const sinkVerbs = [
  /** Entries that the accounting system refused permanently. */
  verb("sink-dead", { needs: "read", payload: nothing, answer: Schema.Array(DeadMessage) }),
  verb("sink-replay", {
    needs: "operate",
    /** Absent for all of them. */
    payload: Schema.Struct({ entry: Schema.optionalKey(Schema.String) }),
    answer: Schema.Struct({ replayed: Schema.Int })
  }),
  /** Compares what the accounting system has, from a file on the worker's machine, with the books. Changes nothing. */
  verb("sink-compare", { needs: "decide", payload: Schema.Struct({ path: Schema.String }), answer: Comparison }),
  /** Takes over what the system has, and lets the outbox continue if it waits. */
  verb("sink-take-over", {
    needs: "decide",
    payload: Schema.Struct({ path: Schema.String, by: Schema.String, reason: Schema.String }),
    answer: Posted
  }),
  /** Nothing is sent until a person compares; raises the epoch. */
  verb("sink-pause", {
    needs: "decide",
    payload: Schema.Struct({ by: Schema.String, reason: Schema.String }),
    answer: Schema.Struct({ epoch: Schema.Int })
  }),
  verb("sink-settle", {
    needs: "decide",
    payload: Schema.Struct({ entry: Schema.String, by: Schema.String, reason: Schema.String }),
    answer: Schema.Struct({ settled: Schema.String })
  }),
  /** Releases drafts that were never sent, so that they go to the accounting system as posted. */
  verb("sink-release", {
    needs: "decide",
    payload: Schema.Struct({
      /** Absent for all of them. */
      entry: Schema.optionalKey(Schema.String),
      by: Schema.String,
      reason: Schema.String
    }),
    answer: Schema.Struct({
      released: Schema.Int,
      /** About drafts that accounting may already have; null if there are none. */
      others: Text
    })
  }),
  /** Queues the entries from this journal number on. */
  verb("sink-send", {
    needs: "decide",
    payload: Schema.Struct({ from: Schema.Int }),
    answer: Schema.Struct({ queued: Schema.Int })
  })
] as const
