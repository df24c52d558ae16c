/**
 * The commands of a page in docs/, run by a shell as they are written there. Only names are a test's own: those of
 * places, and `siteledger`, which is the program under test.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Postgres from "../Postgres.ts"
import type { Environment } from "../RunningWorker.ts"
import { root } from "../Tidy/Sources.ts"

/** The blocks below a heading, each with its lines. */
export const blocksBelow = (page: string, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, below = ""] = readFileSync(join(root, "docs", page), "utf8").split(`\n${heading}\n`)
  const [part = ""] = below.split(/^#{1,3} /m)
  return [...part.matchAll(/^```sh\n(.+?)^```$/gms)].map(([, text = ""]) => text.trimEnd().split("\n"))
}

export interface Shell {
  readonly folder: string
  readonly environment: Environment
  /** What `npx siteledger` runs. */
  readonly program: string
  /** Put in place of the words on the left, where they stand alone. */
  readonly names: Readonly<Record<string, string>>
}

const functions = (program: string): string =>
  `npm() { :; }\nnpx() { shift; '${process.execPath}' --disable-warning=ExperimentalWarning '${program}' "$@"; }\n`

/** Ends at the first command that fails. */
export const inShell = async ({ environment, folder, names, program }: Shell, lines: ReadonlyArray<string>) => {
  const text = lines.join("\n").replaceAll(/[\w-]+(\.\w+)*/g, (word) => names[word] ?? word)
  const child = spawn("sh", ["-euc", functions(program) + text], { cwd: folder, env: { ...environment } })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += String(chunk)))
  const [code] = (await once(child, "close")) as [number | null]
  if (code !== 0) throw new Error(`These commands ended with ${code}:\n${text}\n${said}`)
}

/** For PostgreSQL's own programs. */
export const serverOf = (address: string): Environment => {
  const { hostname, password, port, username } = new URL(address)
  return { PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: decodeURIComponent(password) }
}

/** Why PostgreSQL's own programs can't be used with a server; undefined if they can. */
export const whyWithoutPrograms = async (address: string): Promise<string | undefined> => {
  const [row] = await Postgres.query(address, "select current_setting('server_version_num')::int / 10000 as major")
  for (const name of ["psql", "createdb", "pg_restore", "pg_dump"]) {
    const { error, stdout } = spawnSync(name, ["--version"], { encoding: "utf8" })
    if (error !== undefined) return `${name} isn't installed`
    const major = Number(/ (\d+)/.exec(stdout)?.[1])
    if (!(major >= Number(row?.["major"]))) return `${name} is older than the server: ${major}, not ${row?.["major"]}`
  }
  return undefined
}
