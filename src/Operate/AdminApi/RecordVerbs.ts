/**
 * The verbs that look at the warehouse as it is now: its tables, the records of one, and one record with what said each of
 * its fields.
 */
import { Schema } from "effect"
import { verb } from "./Verb.ts"

const Text = Schema.NullOr(Schema.String)

const Column = Schema.Struct({
  name: Schema.String,
  /** As DuckDB has it. */
  type: Schema.String,
  /** What it means, as a sentence. */
  says: Schema.String
})

const Table = Schema.Struct({
  name: Schema.String,
  says: Schema.String,
  /** Of records; of items of lists inside them; of events; of the books; of currencies; a view over these. */
  kind: Schema.Literals(["records", "items", "events", "books", "currencies", "view"]),
  /** The column that names a row, or the record that the items are in; null: none. */
  key: Text,
  /** Of items: the table of the records that they are in. */
  of: Text,
  /** In the warehouse's order, also those that it got by itself. */
  columns: Schema.Array(Column)
})

const Condition = Schema.Struct({
  column: Schema.String,
  /** `contains` and `begins` ignore capitals. */
  is: Schema.Literals(["equals", "contains", "begins", "less", "more", "null", "not-null"]),
  value: Schema.optionalKey(Schema.String)
})

const Origin = Schema.Struct({
  /**
   * An event; a look-up, whose answer the books keep; what was read from the service, a page of the list or a look-up, of which only
   * the version is kept; or two passes that agree, which no longer saw the record.
   */
  by: Schema.Literals(["event", "look-up", "read", "absence"]),
  /** When the event happened; from when on it was read, or the pass began, by the service's clock. */
  at: Schema.String,
  version: Schema.String,
  /** Of the event. */
  event_id: Text,
  event_type: Text,
  /** Of its delivery. */
  sequence: Schema.NullOr(Schema.Int)
})

const Field = Schema.Struct({
  name: Schema.String,
  /** Null: it has no column, and is JSON. */
  type: Text,
  says: Text,
  /** Exact, as text. */
  value: Text,
  /** JSON of a value that doesn't fit the column, which is null then. */
  misfit: Text,
  /** Null: nothing has said it, or it is siteledger's own. */
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
  /** All that analysts see, in the order of docs/tables.md, or one of them. */
  verb("tables", {
    needs: "read",
    payload: Schema.Struct({ name: Schema.optionalKey(Schema.String) }),
    answer: Schema.Struct({ tables: Schema.Array(Table) })
  }),
  /** Records of one table, a page at a time; deleted ones have their `_deleted_at`. */
  verb("records", {
    needs: "read",
    payload: Schema.Struct({
      table: Schema.String,
      /** All of these. */
      where: Schema.optionalKey(Schema.Array(Condition).check(Schema.isMaxLength(5))),
      /** The `next` of the page before. */
      after: Schema.optionalKey(Schema.String),
      /** At most so many; 50 by default. */
      last: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))),
      /** Of their keys; or of their changes, newest first. */
      order: Schema.optionalKey(Schema.Literals(["key", "changed"]))
    }),
    answer: Schema.Struct({
      /** The column that names a record. */
      key: Schema.String,
      /** Without `_clocks` and `_nested`. */
      columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
      /** Exact, as text; what has more than 1,000 characters ends with an ellipsis there. */
      rows: Schema.Array(Schema.Array(Text)),
      /** After which the next page begins; null: there is none. */
      next: Text,
      /** It looked at so many rows from `after` on and no further: there may be more of them from `next` on. */
      stoppedAfter: Schema.NullOr(Schema.Int)
    })
  }),
  /** One record: what said each of its fields, and the deliveries about it. */
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
      /** Those with a column, in their order, and then the others. Empty: there is no row. */
      fields: Schema.Array(Field),
      /** The newest 200, newest first. Null: there are too many events to find them in a short time. */
      deliveries: Schema.NullOr(Schema.Array(Told)),
      /** There may be older ones. */
      hasOlder: Schema.Boolean
    })
  })
] as const
