/**
 * The store as an older version left it, put in place of a newer one's by the commands of docs/installing.md. For a
 * PostgreSQL without its own programs, a copy of the database replaces the dump.
 */
import { join } from "node:path"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import * as Postgres from "../Postgres.ts"
import type { Environment } from "../RunningWorker.ts"
import { blocksBelow, inShell, serverOf, whyWithoutPrograms } from "./Commands.ts"
import type { World } from "./World.ts"

/** The store as the older version left it, and as the newer one did. */
export interface Kept extends AsyncDisposable {
  readonly putBack: () => Promise<void>
  /** For a verb of the newer version on its store. */
  readonly newer: Environment
}

const [withFiles = [], onServers = []] = blocksBelow("installing.md", "### The way back")

/** A test starts the worker itself, and its database has no roles. */
const isElsewhere = (line: string): boolean => /^npx siteledger start|^psql .*roles\.sql/.test(line)

const inFiles = async (world: World, older: string): Promise<Kept> => {
  const [folder, newer] = [temporaryFolder(), join(temporaryFolder(), "data-newer")]
  const names = { data: world.dataDir, "data-newer": newer }
  const shell = { folder, names, environment: world.environment, program: older }
  await inShell(shell, ["npx siteledger backup before-upgrade.sqlite"])
  return {
    newer: { SITELEDGER_DATA_DIR: newer },
    putBack: () =>
      inShell(
        shell,
        withFiles.filter((line) => !isElsewhere(line))
      ),
    [Symbol.asyncDispose]: async () => {
      for (const each of [folder, join(newer, "..")]) removeFolder(each)
    }
  }
}

const admin = (sql: string) => Postgres.query(Postgres.postgresUrl(), sql)

/** Where PostgreSQL's programs are. */
const dumped = async (name: string, folder: string, older: string): Promise<Kept["putBack"]> => {
  const [[dump = ""] = []] = blocksBelow("postgres.md", "## Backup")
  const shell = {
    folder,
    environment: { PATH: process.env["PATH"] ?? "", ...serverOf(Postgres.postgresUrl()) },
    program: older,
    names: { siteledger: name, siteledger_newer: `${name}_newer`, "siteledger.dump": "before-upgrade.dump" }
  }
  await inShell(shell, [dump])
  return () =>
    inShell(
      shell,
      onServers.filter((line) => !isElsewhere(line))
    )
}

const copied = async (name: string): Promise<Kept["putBack"]> => {
  await admin(`create database ${name}_before template ${name}`)
  return async () => {
    await admin(`alter database ${name} rename to ${name}_newer`)
    await admin(`alter database ${name}_before rename to ${name}`)
  }
}

const onServer = async ({ name, url }: Postgres.Database, older: string): Promise<Kept> => {
  const [folder, data] = [temporaryFolder(), temporaryFolder()]
  const why = await whyWithoutPrograms(url)
  if (why !== undefined) process.stderr.write(`skipped: the way back by a dump, in place of a copy (${why})\n`)
  return {
    newer: { SITELEDGER_WAREHOUSE: url.replace(name, `${name}_newer`), SITELEDGER_DATA_DIR: data },
    putBack: await (why === undefined ? dumped(name, folder, older) : copied(name)),
    [Symbol.asyncDispose]: async () => {
      for (const each of [folder, data]) removeFolder(each)
      for (const suffix of ["before", "newer"]) await admin(`drop database if exists ${name}_${suffix} with (force)`)
    }
  }
}

/** `older`: the program of the older version. Call it while no worker runs. */
export const keep = (world: World, older: string): Promise<Kept> =>
  world.database === undefined ? inFiles(world, older) : onServer(world.database, older)
