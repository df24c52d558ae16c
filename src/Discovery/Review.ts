/**
 * The contents of the review file: what discovery found, edited by a person and kept in version control, with
 * everything that is needed to walk the lists that are on. `Review/Decode` reads it, `Review/Write` writes it,
 * `Review/Revise` updates it. docs/discovery.md explains it to people.
 *
 * A place in an answer is a JSON Pointer (RFC 6901; "" is the answer itself) or `header NAME`.
 */
import { Schema } from "effect"

export const columnTypes = [
  "BIGINT",
  "DOUBLE",
  "DECIMAL(28,4)",
  "DECIMAL(10,2)",
  "BOOLEAN",
  "VARCHAR",
  "TIMESTAMPTZ",
  "DATE",
  "JSON"
] as const
export type ColumnType = (typeof columnTypes)[number]

export const uses = ["keep", "hash", "drop"] as const
export const kinds = ["list", "child list", "detail", "action", "not syncable"] as const
export type Kind = (typeof kinds)[number]
export const confidences = ["high", "medium", "low"] as const
export type Confidence = (typeof confidences)[number]

/** What happens to a field without a column: it gets one, stays among the other fields, or isn't kept. */
export const newFields = ["evolve", "freeze", "discard"] as const

export const timeForms = ["date-time", "date", "unix-seconds", "http-date"] as const

const Texts = Schema.Array(Schema.String)
const Whole = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const Column = Schema.Struct({
  name: Schema.String,
  type: Schema.Literals(columnTypes),
  /** hash: only an HMAC of its text is kept, by which equal values can be found. drop: it isn't kept at all. */
  use: Schema.Literals(uses),
  /** An amount counts as money once a person has signed it off. */
  money: Schema.optionalKey(Schema.Literals(["suggested", "signed-off"])),
  /** Its place in the record; defaults to its own name. */
  from: Schema.optionalKey(Schema.String),
  /** Instead, the parameter of the request whose value it is. */
  parameter: Schema.optionalKey(Schema.String),
  /** The document no longer has it. */
  gone: Schema.optionalKey(Schema.Boolean)
})
export type Column = typeof Column.Type

const size = { size: Schema.optionalKey(Schema.String), largest: Schema.optionalKey(Positive) }

/**
 * Each `style` with the names of its parameters. A list ends at its total, otherwise by `more`, otherwise at a short
 * page.
 */
export const Paging = Schema.Union([
  Schema.Struct({ style: Schema.Literal("page"), page: Schema.String, first: Schema.Literals([0, 1]), ...size }),
  Schema.Struct({ style: Schema.Literal("offset"), offset: Schema.String, ...size }),
  /** `next`: where the answer has the value for the next request; if there is none, that was the last page. */
  Schema.Struct({
    style: Schema.Literal("cursor"),
    cursor: Schema.String,
    next: Schema.String,
    more: Schema.optionalKey(Schema.String),
    ...size
  }),
  /** The next request takes the value of `column` from the last row. */
  Schema.Struct({
    style: Schema.Literal("after"),
    after: Schema.String,
    column: Schema.String,
    more: Schema.optionalKey(Schema.String),
    ...size
  }),
  /** `next`: where the answer has the next page's address, which is followed only on the same origin. */
  Schema.Struct({ style: Schema.Literal("link"), next: Schema.String, ...size }),
  Schema.Struct({ style: Schema.Literal("none") })
])
export type Paging = typeof Paging.Type

const Place = Schema.optionalKey(Schema.String)

/** Names of columns that tell where a record has the certificate for which a payment may wait. */
const Certificate = Schema.Struct({
  amount: Schema.String,
  at: Schema.String,
  currency: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  project: Schema.optionalKey(Schema.String)
})

export const LookUp = Schema.Struct({
  on: Schema.Boolean,
  /** Where the answer of `detail` has the record, if it isn't the record itself. */
  record: Place,
  /** For the list that fills `ipcs`. */
  certificate: Schema.optionalKey(Certificate),
  /** For the same list: the column that has a time once an IPC is paid. */
  paid: Schema.optionalKey(Schema.String)
})

/** A list inside each record, which may become a table of its own. */
export const Nested = Schema.Struct({
  /** The column that has the list. */
  column: Schema.String,
  on: Schema.Boolean,
  table: Schema.String,
  /** Columns of an item: `from` is the place within it. */
  columns: Schema.Array(Column)
})
export type Nested = typeof Nested.Type

export const List = Schema.Struct({
  /** The operation, such as `GET /projects`; its path is appended to the base address. */
  read: Schema.String,
  on: Schema.Boolean,
  kind: Schema.Literals(["list", "child list", "not syncable"]),
  table: Schema.String,
  /** Columns that together name a record. */
  key: Texts,
  parent: Schema.optionalKey(
    Schema.Struct({
      table: Schema.String,
      /** By parameter of the path or the query: the column of the parent's row that fills it. */
      parameters: Schema.Record(Schema.String, Schema.String)
    })
  ),
  /** Sent with each request; null if a person must give a value first. */
  query: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.String))),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.String))),
  /** Where the answer has the rows, and what it says about the whole list. */
  answer: Schema.Struct({ rows: Schema.String, total: Place, page: Place, size: Place }),
  paging: Paging,
  scope: Texts,
  refresh: Schema.Struct({
    every: Schema.String,
    /** Walks in between ask only for changes; `whole`: how often the list is still read in full. */
    changed: Schema.optionalKey(
      Schema.Struct({
        parameter: Schema.String,
        in: Schema.Literals(["query", "header"]),
        /** How a time is written in it. */
        as: Schema.Literals(timeForms),
        column: Schema.optionalKey(Schema.String),
        whole: Schema.String
      })
    )
  }),
  /** Defaults to evolve. */
  newFields: Schema.optionalKey(Schema.Literals(newFields)),
  /** How many records there are, once a person knows. */
  records: Schema.optionalKey(Whole),
  /** What one walk costs with that many records, or with the assumed number. For information only. */
  walk: Schema.Struct({ records: Whole, requests: Whole, minutes: Schema.Number }),
  detail: Schema.optionalKey(Schema.String),
  /** Whether events cause records to be read again, each by `detail`. */
  lookUp: Schema.optionalKey(LookUp),
  /** The table of another list with the same records. */
  sameAs: Schema.optionalKey(Schema.String),
  confidence: Schema.Literals(confidences),
  reasons: Texts,
  /** Why it can't be synced, unless a person knows better. */
  problems: Schema.optionalKey(Texts),
  /** What a person must give before it can be on. */
  needs: Schema.optionalKey(Texts),
  /** The document no longer has it. */
  gone: Schema.optionalKey(Schema.Boolean),
  columns: Schema.Array(Column),
  nested: Schema.optionalKey(Schema.Array(Nested))
})
export type List = typeof List.Type

export const Unsyncable = Schema.Struct({ read: Schema.String, why: Schema.String })
export type Unsyncable = typeof Unsyncable.Type

export const schema = "siteledger/resources/1"

export const Review = Schema.Struct({
  schema: Schema.Literal(schema),
  document: Schema.Struct({ title: Schema.String, version: Schema.String, openapi: Schema.String }),
  plan: Schema.Struct({ requestsPerMinute: Positive, pageSize: Positive }),
  lists: Schema.Array(List),
  /** For information only. */
  notSyncable: Schema.Array(Unsyncable)
})
export type Review = typeof Review.Type
