/**
 * The verbs that look at what analysts have: the exports on the lake, and the published copy.
 */
import { Schema } from "effect"
import { AsOf } from "../../Lake/Manifest.ts"
import { nothing, verb } from "./Verb.ts"

const Time = Schema.NullOr(Schema.String)

const Run = Schema.Struct({
  run: Schema.String,
  /** What readers see. */
  isNewest: Schema.Boolean,
  /** It stays at least until then; null if that depends on when another replaces it. */
  safeUntil: Time,
  /** Null if its manifest can't be read. */
  asOf: Time,
  tables: Schema.Int,
  files: Schema.Int,
  rows: Schema.Int,
  bytes: Schema.Int
})

const Checked = Schema.Struct({
  /** A table, the journal, or the archives. */
  name: Schema.String,
  files: Schema.Int,
  rows: Schema.Int,
  bytes: Schema.Int,
  /** Sentences that name the file. */
  faults: Schema.Array(Schema.String)
})

export const lakeVerbs = [
  /** The exports, newest first. */
  verb("lake-list", {
    needs: "read",
    payload: nothing,
    answer: Schema.Struct({
      lake: Schema.String,
      runs: Schema.Array(Run),
      /** Why readers find no export, and what to do. */
      fault: Schema.NullOr(Schema.String)
    })
  }),
  /** Reads an export and all archives back, and checks every count and hash. */
  verb("lake-verify", {
    needs: "read",
    payload: Schema.Struct({
      /** Absent for the newest one. */
      run: Schema.optionalKey(Schema.String)
    }),
    answer: Schema.Struct({
      /** Nothing differs. */
      ok: Schema.Boolean,
      lake: Schema.String,
      run: Schema.String,
      asOf: AsOf,
      /** Faults of the pointer and the manifest themselves. */
      faults: Schema.Array(Schema.String),
      checked: Schema.Array(Checked)
    })
  }),
  /** Runs one read-only statement on the published copy. */
  verb("query", {
    needs: "read",
    payload: Schema.Struct({ sql: Schema.String }),
    answer: Schema.Struct({
      columns: Schema.Array(Schema.Struct({ name: Schema.String, isNumber: Schema.Boolean })),
      /** The first 1,000. Decimals and large integers are text, so that none is rounded. */
      rows: Schema.Array(Schema.Array(Schema.Json)),
      /** There are more. */
      isCut: Schema.Boolean,
      /** A drawing in text, with line breaks. */
      isPlan: Schema.Boolean
    })
  })
] as const
