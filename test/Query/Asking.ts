/**
 * Asks Query as the command line does, with standard output and error kept in memory, and makes published copies. It
 * uses the bundled Query, because hundreds of its processes are started; Running.test.ts runs `siteledger query` from
 * its sources.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { DuckDBInstance } from "@duckdb/node-api"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Sink, Stdio, Terminal } from "effect"
import type * as Query from "../../src/Query/Query.ts"
import { query } from "../GlobalSetup/Main.ts"

const { run } = (await import(pathToFileURL(query).href)) as typeof Query

export const temporary = () => {
  const directory = mkdtempSync(join(tmpdir(), "siteledger-query-"))
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) }
}

/** A published copy with schema `construction` and what these statements make. */
export const publish = async (directory: string, ...statements: ReadonlyArray<string>): Promise<string> => {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, "analytics.duckdb")
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  for (const statement of ["create schema construction", ...statements, "checkpoint"]) await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
  return file
}

export const projects = `create table construction.projects as
  select range as id, 'Project ' || range as name, (range * 1.25)::decimal(28,4) as amount from range(1000)`

/** Would take years. */
export const endless =
  "select count(*) from range(100000) a, range(100000) b, range(100000) c where a.range * b.range * c.range < 0"

interface Answer {
  readonly exitCode: Query.ExitCode
  readonly out: string
  readonly err: string
}

export interface Asked extends Partial<Query.QueryOptions> {
  readonly file: string
  readonly sql: string
  /** Columns of the terminal that standard output is. */
  readonly columns?: number
  /** Instead of keeping standard output. */
  readonly onText?: (text: string) => Effect.Effect<void>
}

export const ask = ({ columns, onText, ...options }: Asked): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const services = yield* Terminal.Terminal
    const kept = { out: "", err: "" }
    const into = (name: "out" | "err") => () =>
      Sink.forEach((text: string | Uint8Array) =>
        name === "out" && onText !== undefined
          ? onText(String(text))
          : Effect.sync(() => {
              kept[name] += String(text)
            })
      )
    const stdio = Stdio.layerTest({
      stdout: into("out"),
      stderr: into("err"),
      stdoutIsTerminal: Effect.succeed(columns !== undefined)
    })
    const terminal = Terminal.make({ ...services, columns: Effect.succeed(columns ?? 0) })
    const exitCode = yield* run({ format: "csv", ...options }).pipe(
      Effect.provide(stdio),
      Effect.provideService(Terminal.Terminal, terminal)
    )
    return { exitCode, ...kept }
  }).pipe(Effect.provide(NodeServices.layer))
