/**
 * `lake.sql`: schema `construction` over the newest export for plain DuckDB, as the warehouse shows it. Pure.
 *
 * It names no run. When the file is run, it looks up the manifest to which latest.json points, and the session stays
 * with that export until the file is run again, so that all its queries agree. The text is the same for every export of
 * the same tables.
 */
import { views } from "../Stores/Views.ts"
import type { Columns, Manifest } from "./Manifest.ts"
import * as Literal from "../Domain/Literal.ts"

export const path = "lake.sql"

/** `lake` is DuckDB's name for the folder or bucket: an absolute path, or an `s3://` address. */
export const readingSql = ({ tables }: Pick<Manifest, "tables">, lake: string): string =>
  `${[
    header(lake),
    newest(lake),
    "CREATE SCHEMA IF NOT EXISTS construction;",
    ...Object.entries(tables).map(([name, { columns }]) => view(name, columns)),
    "-- What people ask for most, as in the warehouse.",
    ...Object.entries(views).map(
      ([name, query]) => `CREATE OR REPLACE VIEW construction.${name} AS${indented(query)};`
    ),
    "-- What the columns mean.",
    ...Object.entries(tables).flatMap(([name, { columns }]) => comments(name, columns))
  ].join("\n\n")}\n`

const header = (
  lake: string
): string => `-- The newest export of siteledger as schema "construction", for DuckDB 1.3 or newer:
--
--   duckdb -init lake.sql                     then: SELECT * FROM construction.ipc_ageing;
--   con.execute(open("lake.sql").read())      in Python
--
-- Run it in each session. The session stays with the export that it found, so all its queries agree; run it again for
-- a newer one. If the files are elsewhere for you, set this first:
--
--   SET VARIABLE siteledger_lake = '/mnt/lake';${
  lake.startsWith("s3://")
    ? `
--
-- For a bucket DuckDB needs credentials, once for each session; this takes those that the AWS tools would:
--
--   INSTALL httpfs; INSTALL aws; CREATE SECRET (TYPE s3, PROVIDER credential_chain);`
    : ""
}`

const newest = (lake: string): string => `SET VARIABLE siteledger_lake =
  coalesce(getvariable('siteledger_lake'), ${Literal.text(lake)});
SET VARIABLE siteledger_latest = (
  SELECT content FROM read_text(getvariable('siteledger_lake') || '/latest.json'));
SET VARIABLE siteledger_manifest = (
  SELECT CASE WHEN sha256(content) = (getvariable('siteledger_latest') ->> 'sha256') THEN content
    ELSE error('The manifest is not the one that latest.json names.') END
  FROM read_text(getvariable('siteledger_lake') || '/' || (getvariable('siteledger_latest') ->> 'manifest')));

CREATE OR REPLACE TEMP MACRO siteledger_files(name) AS list_transform(
  json_extract_string(getvariable('siteledger_manifest')::VARCHAR, '$.tables.' || name || '.files[*].path'),
  lambda file: getvariable('siteledger_lake') || '/' || file);

-- Which export this is: everything that was applied through one sequence.
CREATE OR REPLACE TEMP MACRO siteledger_export() AS TABLE
  SELECT m ->> '$.run' AS run, (m ->> '$.asOf.at')::TIMESTAMPTZ AS as_of, (m ->> '$.asOf.sequence')::BIGINT AS sequence
  FROM (SELECT getvariable('siteledger_manifest')::JSON AS m);`

/** Events are filed by the UTC date of their own time; files of earlier exports may have fewer columns. */
const view = (name: string, columns: Columns): string => {
  const dated = name === "events" ? ", hive_partitioning = true, hive_types = {'event_date': DATE}" : ""
  const json = columns
    .filter(({ format }) => format === "json")
    .map((column) => `"${column.name}"::JSON AS "${column.name}"`)
  const select = json.length === 0 ? "" : `SELECT * REPLACE (${json.join(", ")}) `
  return `CREATE OR REPLACE VIEW construction.${name} AS
  ${select}FROM read_parquet(siteledger_files('${name}'), union_by_name = true${dated});`
}

const comments = (table: string, columns: Columns): ReadonlyArray<string> => {
  const lines = columns.flatMap(({ description, name }) =>
    description === undefined
      ? []
      : [`COMMENT ON COLUMN construction.${table}."${name}" IS ${Literal.text(description)};`]
  )
  return lines.length === 0 ? [] : [lines.join("\n")]
}

/** A query on several lines, below its heading. */
const indented = (query: string): string => `\n${query.replace(/^\n+/, "").replaceAll(/^ {2,4}/gm, "  ")}`
