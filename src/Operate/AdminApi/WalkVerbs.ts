/**
 * The verb that looks back on walks: the passes over lists that have ended.
 */
import { Schema } from "effect"
import { verb } from "./Verb.ts"

const Walk = Schema.Struct({
  /** By its resource name. */
  list: Schema.String,
  /** Begins again at 1 after a rebuild. */
  pass: Schema.Int,
  startedAt: Schema.String,
  endedAt: Schema.String,
  /** How sure the copy was at its end. */
  proof: Schema.Literals(["unproven", "counts-agree", "passes-agree", "proven"]),
  /** Why it proved nothing, or what couldn't be read, in a sentence. */
  disturbance: Schema.NullOr(Schema.String),
  /** Distinct records that it saw, and the number that the service reports. */
  rows: Schema.Int,
  total: Schema.Int,
  pages: Schema.Int,
  /** Records that it found to be deleted. */
  deleted: Schema.Int,
  /** For a child list: how many parents it found, and below how many of them the copy was proven. */
  parents: Schema.NullOr(Schema.Struct({ found: Schema.Int, proven: Schema.Int }))
})

export const walkVerbs = [
  /** For all lists or for one, newest first: 500 of each list are kept, for 90 days at most. */
  verb("walks", {
    needs: "read",
    payload: Schema.Struct({
      list: Schema.optionalKey(Schema.String),
      /** The `next` of the previous page. */
      after: Schema.optionalKey(Schema.String),
      /** The most to return; defaults to 50. */
      last: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 })))
    }),
    answer: Schema.Struct({
      walks: Schema.Array(Walk),
      /** The next page begins after this; null if there is none. */
      next: Schema.NullOr(Schema.String)
    })
  })
] as const
