/**
 * The verbs that look at the current warehouse: its tables, the records of one, and one record with the origin of each
 * field.
 */
import { Schema } from "effect"
import { verb } from "./Verb.ts"

const Text = Schema.NullOr(Schema.String)

const Column = Schema.Struct({
  name: Schema.String,
  /** As in DuckDB. */
  type: Schema.String,
  /** Its meaning, as a sentence. */
  says: Schema.String
})

const Table = Schema.Struct({
  name: Schema.String,
  says: Schema.String,
  /** Records; items of lists inside them; events; the books; currencies; or a view over these. */
  kind: Schema.Literals(["records", "items", "events", "books", "currencies", "view"]),
  /** The column that names a row, or the record that contains the items; null if there is none. */
  key: Text,
  /** For items: the table of the records that contain them. */
  of: Text,
  /** In the warehouse's order, including learned columns. */
  columns: Schema.Array(Column)
})

const Condition = Schema.Struct({
  column: Schema.String,
  /** `contains` and `begins` ignore case. */
  is: Schema.Literals(["equals", "contains", "begins", "less", "more", "null", "not-null"]),
  value: Schema.optionalKey(Schema.String)
})

const Origin = Schema.Struct({
  /**
   * An event; a look-up, whose answer the books keep; something read from the service (a list page or a look-up) of
   * which only the version is kept; or two agreeing passes that no longer saw the record.
   */
  by: Schema.Literals(["event", "look-up", "read", "absence"]),
  /**
   * When the event happened, or the earliest time as of which it was read; for a pass, when it began. By the service's
   * clock.
   */
  at: Schema.String,
  version: Schema.String,
  /** The id of the event. */
  event_id: Text,
  event_type: Text,
  /** The sequence of its delivery. */
  sequence: Schema.NullOr(Schema.Int)
})

const Field = Schema.Struct({
  name: Schema.String,
  /** Null if it has no column and is JSON. */
  type: Text,
  says: Text,
  /** Exact, as text. */
  value: Text,
  /** JSON of a value that doesn't fit the column, which is then null. */
  misfit: Text,
  /** Null if nothing has said it, or if it is siteledger's own. */
  said: Schema.NullOr(Origin)
})

const Told = Schema.Struct({
  sequence: Schema.Int,
  event_id: Schema.String,
  event_type: Text,
  event_timestamp: Text,
  received_at: Schema.String,
  outcome: Schema.Literals(["applied", "quarantined"]),
  reason: Text
})

export const recordVerbs = [
  /** Everything that analysts see, in the order of docs/tables.md, or one table. */
  verb("tables", {
    needs: "read",
    payload: Schema.Struct({ name: Schema.optionalKey(Schema.String) }),
    answer: Schema.Struct({ tables: Schema.Array(Table) })
  }),
  /** Records of one table, a page at a time; deleted ones have `_deleted_at` set. */
  verb("records", {
    needs: "read",
    payload: Schema.Struct({
      table: Schema.String,
      /** All of these must hold. */
      where: Schema.optionalKey(Schema.Array(Condition).check(Schema.isMaxLength(5))),
      /** The `next` of the previous page. */
      after: Schema.optionalKey(Schema.String),
      /** The most to return; defaults to 50. */
      last: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))),
      /** By key, or by change, newest first. */
      order: Schema.optionalKey(Schema.Literals(["key", "changed"]))
    }),
    answer: Schema.Struct({
      /** The column that names a record. */
      key: Schema.String,
      /** Without `_clocks` and `_nested`. */
      columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
      /** Exact, as text; a value of more than 1,000 characters ends with an ellipsis. */
      rows: Schema.Array(Schema.Array(Text)),
      /** The next page begins after this; null if there is none. */
      next: Text,
      /** The search stopped after this many rows from `after` on: there may be more from `next` on. */
      stoppedAfter: Schema.NullOr(Schema.Int)
    })
  }),
  /** One record: the origin of each of its fields, and the deliveries about it. */
  verb("record", {
    needs: "read",
    payload: Schema.Struct({
      table: Schema.String,
      id: Schema.String,
      /** Deliveries before this sequence. */
      before: Schema.optionalKey(Schema.Int)
    }),
    answer: Schema.Struct({
      table: Schema.String,
      id: Schema.String,
      /** Those with a column, in order, then the others. Empty if there is no row. */
      fields: Schema.Array(Field),
      /** The newest 200, newest first. Null if there are too many events to find them quickly. */
      deliveries: Schema.NullOr(Schema.Array(Told)),
      /** There may be older ones. */
      hasOlder: Schema.Boolean
    })
  })
] as const
