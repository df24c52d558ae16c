/**
 * The lines about what happened to files and databases, and what was done about it.
 */
import { line, number, text } from "./Line.ts"

const why = text("in a sentence")
const path = text("of the file")
const kept = text("where the old file is")
const rows = number("rows that came back")

export const stores = {
  "check.damaged": line(
    "Error",
    "The weekly check of all files has found damage.",
    { part: text("what was read"), why },
    ({ part, why }) => `The weekly check found damage in ${part}: ${why}`
  ),
  "check.unread": line(
    "Warn",
    "The weekly check couldn't reach something that it had to read; the next pass reads it.",
    { part: text("what was to be read"), why },
    ({ part, why }) => `The weekly check couldn't read ${part} this week: ${why}`
  ),
  "store.replaced": line(
    "Error",
    "The store's file was damaged, and a new one was made from the log of rows.",
    { path, kept, rows },
    ({ kept, path, rows }) =>
      `The store ${path} was damaged and is kept as ${kept}. A new one has its ${rows} rows from the log ` +
      "beside it, and all deliveries are applied again. Check the disk."
  ),
  "store.remade": line(
    "Warn",
    "The store's file was missing, and was made from the log of rows.",
    { path, rows },
    ({ path, rows }) =>
      `The store ${path} was missing. A new one has its ${rows} rows from the log beside it, and all deliveries are applied again.`
  ),
  "store.restored": line(
    "Warn",
    "The disk had lost the store's newest changes, and the log of rows still had them.",
    { path, rows },
    ({ path, rows }) =>
      `The disk had lost the newest changes of ${path}: ${rows} rows were restored from the log beside it.`
  ),
  "rows.unread": line(
    "Warn",
    "The disk is full, so the store isn't compared with the log of rows at this start.",
    { why },
    ({ why }) => `The store can't be compared with its log now: ${why}`
  ),
  "rows.repaired": line(
    "Warn",
    "Files of the log of rows were damaged, and were restored from their copies.",
    { files: number("how many") },
    ({ files }) => `The disk had damaged ${files} files of the log of rows. Nothing is lost. Check the disk.`
  ),
  "rows.unwritten": line(
    "Warn",
    "The log of rows can't be written, and is tried again each second.",
    { why },
    ({ why }) => `The log of rows can't be written for now: ${why}`
  ),
  "inbox.odd": line(
    "Warn",
    "The disk damaged a file of the inbox, or its key files were made again.",
    { why },
    (is) => is.why
  ),
  "archive.damaged": line("Error", "A local archive is damaged.", { why }, (is) => is.why),
  "deliveries.restored": line(
    "Warn",
    "Deliveries that the inbox had lost came back from a copy.",
    { deliveries: number("how many"), copy: text("where they were") },
    ({ copy, deliveries }) => `${deliveries} deliveries that the inbox had lost were restored from ${copy}`
  ),
  "connections.ended": line(
    "Warn",
    "Transactions of a worker that is gone were ended on the database server.",
    { why },
    ({ why }) => why
  ),
  "key.restored": line(
    "Warn",
    "The key of the data directory was damaged or gone.",
    { path },
    ({ path }) => `${path} was damaged or gone, and was restored from ${path}.copy`
  ),
  "note.unwritten": line(
    "Warn",
    "The note for the command line can't be written, and is tried again.",
    { path, why },
    ({ path, why }) => `${path} can't be written and is tried again: ${why}.`
  )
}

export const warehouse = {
  "warehouse.replaced": line(
    "Error",
    "The warehouse's file is damaged, and is rebuilt.",
    { kept, why },
    ({ kept, why }) => `The warehouse can't be read and is rebuilt; the old file is kept as ${kept}. ${why}`
  ),
  "warehouse.mismatched": line(
    "Warn",
    "The warehouse belongs to another store, or is older than this one.",
    { why },
    ({ why }) => `${why} It is rebuilt from the store and a new walk.`
  ),
  "warehouse.kept": line(
    "Warn",
    "The old warehouse was set aside.",
    { kept },
    ({ kept }) => `The old warehouse is kept as ${kept}`
  ),
  "warehouse.moved": line(
    "Info",
    "The store was moved to this database.",
    {},
    () => "The store was moved here: rebuilding the warehouse from its inbox and a new walk"
  ),
  "warehouse.enlarged": line(
    "Warn",
    "DuckDB ran out of memory, and gets more.",
    { megabytes: number("that it may use now") },
    ({ megabytes }) => `DuckDB ran out of memory while reading; it may use ${megabytes} MB from now on.`
  ),
  "analytics.damaged": line(
    "Warn",
    "The copy for analysts is damaged, and is rebuilt.",
    { path, why },
    ({ path, why }) => `${path} is damaged and made again: ${why}`
  )
}
