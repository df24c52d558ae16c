/**
 * How long a plain script takes for the same pages, in its own process: fetch, JSON.parse, and DuckDB's Appender into a
 * table with a column for each field. It requests the next page while it appends one. Prints rows per second and its
 * peak memory. Run: node bench/PlainLoad.ts ORIGIN TOTAL FILE
 */
import { type DuckDBAppender, DuckDBInstance } from "@duckdb/node-api"
import { peakMb } from "./Child.ts"
import type { record } from "./ProjectRecord.ts"

const [origin = "", rows = "0", file = ""] = process.argv.slice(2)
const total = Number(rows)
const perPage = 1000

type Project = ReturnType<typeof record>

const page = async (number: number): Promise<ReadonlyArray<Project>> => {
  if ((number - 1) * perPage >= total) return []
  const answer = await fetch(`${origin}/v1/projects?page=${number}&per_page=${perPage}`)
  return (JSON.parse(await answer.text()) as { readonly data: ReadonlyArray<Project> }).data
}

const append = (appender: DuckDBAppender, project: Project): void => {
  appender.appendBigInt(BigInt(project.id))
  appender.appendVarchar(project.name)
  appender.appendVarchar(project.status)
  appender.appendVarchar(project.code)
  appender.appendVarchar(project.client)
  appender.appendVarchar(project.city ?? "")
  appender.appendVarchar(project.country ?? "")
  appender.appendVarchar(project.starts_on)
  appender.appendVarchar(project.ends_on)
  appender.appendDouble(project.contract_amount)
  appender.appendVarchar(project.currency)
  appender.appendInteger(project.progress)
  appender.endRow()
}

const instance = await DuckDBInstance.create(file, { threads: "2" })
const connection = await instance.connect()
await connection.run(`create table projects (id bigint, name varchar, status varchar, code varchar, client varchar,
  city varchar, country varchar, starts_on varchar, ends_on varchar, contract_amount double, currency varchar, progress integer)`)
const from = performance.now()
const appender = await connection.createAppender("projects")
let next = page(1)
for (let number = 1; (number - 1) * perPage < total; number++) {
  const projects = await next
  next = page(number + 1)
  for (const project of projects) append(appender, project)
}
appender.closeSync()
await connection.run("checkpoint")
const rowsPerSecond = Math.round(total / ((performance.now() - from) / 1000))
connection.disconnectSync()
instance.closeSync()
process.stdout.write(`${JSON.stringify({ rowsPerSecond, peakMb: peakMb() })}\n`)
