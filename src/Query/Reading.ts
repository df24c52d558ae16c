/**
 * Decides whether a statement only reads, from the tree that DuckDB's own parser makes of it (`json_serialize_sql`),
 * before any of it is bound, because some functions act while they are bound.
 *
 * This gives a clear message; it isn't the security boundary. That is the child process, whose DuckDB has no files, no
 * extensions and a locked configuration. Table functions are on an allow-list, because each of them is a way out; of
 * the other functions, the few that reach outside are on a deny-list. Pure.
 */

/** Table functions that make rows from their arguments or from the catalogue. */
export const tableFunctions: ReadonlySet<string> = new Set([
  "range",
  "generate_series",
  "unnest",
  "repeat",
  "repeat_row",
  "json_each",
  "json_tree",
  "duckdb_columns",
  "duckdb_constraints",
  "duckdb_functions",
  "duckdb_schemas",
  "duckdb_tables",
  "duckdb_types",
  "duckdb_views",
  "pragma_show",
  "pragma_table_info",
  "pragma_version",
  "pg_timezone_names"
])

/** Scalar functions that write, bind SQL from text, or reveal something about the process. */
const refusedFunctions: ReadonlySet<string> = new Set(["getenv", "json_serialize_plan", "write_log"])

export const whatIsRead =
  "Only a single read-only statement runs here: SELECT, FROM, WITH, VALUES, TABLE, PIVOT with its values named, DESCRIBE, " +
  "SHOW, SUMMARIZE, or EXPLAIN before one of them."

const explain = /^\s*explain\b(?:\s+analyze\b)?(?:\s*\(\s*(?:analyze|format)\b[^()]*\))?/i

/** The statement to judge: what follows an EXPLAIN, which itself has no tree. */
export const explained = (sql: string): string => sql.replace(explain, "")

interface Parsed {
  readonly error: boolean
  readonly error_type?: string
  readonly statements?: ReadonlyArray<unknown>
}

export type Verdict = "reads" | "unreadable" | { readonly refused: string }

/** `unreadable` is a syntax error: DuckDB's own message explains it better. */
export const judge = (parsed: Parsed): Verdict => {
  if (parsed.error) return parsed.error_type === "parser" ? "unreadable" : { refused: whatIsRead }
  if (parsed.statements?.length !== 1) return { refused: whatIsRead }
  const found = objection(parsed.statements)
  return found === undefined ? "reads" : { refused: found }
}

const objection = (tree: unknown): string | undefined => {
  const open: Array<unknown> = [tree]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node !== "object" || node === null) continue
    const name = refusedName(node as TreeNode)
    if (name !== undefined) return `The function ${name} isn't available here: queries only read the published copy.`
    open.push(...Object.values(node))
  }
  return undefined
}

interface TreeNode {
  readonly type?: unknown
  readonly function?: TreeNode
  readonly function_name?: unknown
}

const refusedName = (node: TreeNode): string | undefined => {
  if (node.type === "TABLE_FUNCTION") {
    const name = String(node.function?.function_name).toLowerCase()
    return tableFunctions.has(name) ? undefined : name
  }
  const name = typeof node.function_name === "string" ? node.function_name.toLowerCase() : ""
  return refusedFunctions.has(name) ? name : undefined
}
