/**
 * PostgreSQL's own COPY in both directions over a `pg` client, with nothing around it: a lower bound for any bulk load
 * or unload. It speaks the protocol itself, because `pg` has no COPY.
 */
import type { Client, Connection, Submittable } from "pg"
import { typeName } from "../src/Stores/Postgres/Ddl.ts"
import { connected } from "./PostgresServer.ts"
import { rows, table } from "./Projects.ts"

/** The part of pg's connection that its types omit. */
interface Wire {
  readonly query: (text: string) => void
  readonly sendCopyFromChunk: (chunk: Buffer) => void
  readonly endCopyFrom: () => void
}

type Settle = (cause?: Error) => void

const submit = (client: Client, text: string, handlers: object): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle: Settle = (cause) => (cause === undefined ? resolve() : reject(cause))
    const copy = {
      submit: (connection: Connection) => (connection as unknown as Wire).query(text),
      handleError: settle,
      handleReadyForQuery: () => settle(),
      handleCommandComplete: () => undefined,
      ...handlers
    }
    client.query(copy as unknown as Submittable)
  })

/** One COPY … FROM STDIN of lines in the text format, in its own transaction. */
export const copyIn = (client: Client, text: string, lines: string): Promise<void> =>
  submit(client, text, {
    handleCopyInResponse: (wire: Wire) => {
      wire.sendCopyFromChunk(Buffer.from(lines))
      wire.endCopyFrom()
    }
  })

/** One COPY … TO STDOUT, counted and dropped as it arrives; returns its bytes. */
export const copyOut = async (client: Client, text: string): Promise<number> => {
  let bytes = 0
  await submit(client, text, {
    handleCopyData: ({ chunk }: { readonly chunk: Buffer }) => void (bytes += chunk.byteLength)
  })
  return bytes
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/** A row as a line of COPY's text format. */
export const line = (values: ReadonlyArray<string | null>): string =>
  `${values.map((value) => (value === null ? "\\N" : value.replaceAll(/[\\\n\r\t]/g, (found) => escapes[found] ?? found))).join("\t")}\n`

const pageRows = 1000

/**
 * Rows per second of COPY, with one commit per page, of a walk's rows into a table with the same key. The rows are made
 * beforehand.
 */
export const load = (url: string, total: number): Promise<number> =>
  connected(url, async (client) => {
    const columns = table.columns.map(
      ({ name, type }) => `"${name}" ${typeName(type)}${name === table.key ? " primary key" : ""}`
    )
    await client.query(`create table projects (${columns.join(", ")})`)
    let ms = 0
    for (let first = 1; first <= total; first += pageRows) {
      const lines = rows(first, Math.min(pageRows, total + 1 - first)).map((row) =>
        line(table.columns.map(({ name }) => row[name] ?? null))
      )
      const from = performance.now()
      await copyIn(client, "copy projects from stdin", lines.join(""))
      ms += performance.now() - from
    }
    return (total / ms) * 1000
  })
