/**
 * Hostile statements to `siteledger query`: none may write, read another file, reach the network, load code, change a
 * setting or show a secret. Judged by the files, a listener and a canary.
 */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Goal, shuffled } from "../Goal.ts"
import { text } from "../../bench/Waiting.ts"
import { mark, World } from "../World.ts"

/** Longer than a query may take. */
const mostMs = 100_000

const canary = `${mark}-canary`

interface Traps {
  readonly file: string
  readonly folder: string
  readonly port: number
  readonly dataDir: string
}

const statements = ({ dataDir, file, folder, port }: Traps): ReadonlyArray<string> => [
  "insert into construction.ipcs (id) values ('evil')",
  "update construction.ipcs set status = 'paid'",
  "delete from construction.events",
  "drop schema construction cascade",
  "create table main.evil (x int)",
  "create or replace view construction.ipcs as select 1",
  "create macro evil() as 1",
  "alter table construction.ipcs add column evil int",
  "vacuum",
  "checkpoint",
  "begin; delete from construction.events; commit",
  "select 1; drop table construction.ipcs",
  `from read_text('${file}')`,
  `from read_blob('${file}')`,
  `from read_csv('${file}')`,
  `from read_json('${file}')`,
  `from '${file}'`,
  `from read_text('${dataDir}/key')`,
  `from read_text('${dataDir}/worker.json')`,
  `from read_text('/proc/self/environ')`,
  `from glob('${dataDir}/*')`,
  `select * from sqlite_scan('${dataDir}/store.sqlite', 'secrets')`,
  `attach '${dataDir}/warehouse.duckdb' as w`,
  `attach '${dataDir}/store.sqlite' as s (type sqlite)`,
  `attach '${folder}/evil.duckdb'`,
  `copy (select 1) to '${folder}/evil.csv'`,
  `copy construction.ipcs from '${file}'`,
  `export database '${folder}/evil'`,
  `import database '${folder}'`,
  `from read_parquet('http://127.0.0.1:${port}/evil.parquet')`,
  `from read_csv('s3://127.0.0.1:${port}/evil')`,
  `attach 'postgres:host=127.0.0.1 port=${port}' as p`,
  "install httpfs",
  "load httpfs",
  `load '${file}'`,
  "set enable_external_access = true",
  "set global disabled_filesystems = ''",
  "reset disabled_filesystems",
  "set lock_configuration = false",
  `call enable_logging(storage = 'file', storage_path = '${folder}/log')`,
  `select * from enable_logging(storage = 'file', storage_config = {'path': '${folder}/log'})`,
  `explain select * from enable_logging(storage = 'file', storage_config = {'path': '${folder}/log'})`,
  `set log_query_path = '${folder}/log'`,
  `set temp_directory = '${folder}'`,
  `set home_directory = '${folder}'`,
  `set profiling_output = '${folder}/profile'`,
  `pragma enable_profiling; set profile_output = '${folder}/profile'; select 1`,
  `create secret (type s3, key_id 'a', secret 'b')`,
  "from duckdb_secrets()",
  "select getenv('SITELEDGER_KEY')",
  "select getenv('SITELEDGER_CLIENT_SECRET')",
  "from duckdb_settings() where value like '%secret%'",
  `explain analyze insert into construction.ipcs (id) values ('evil')`,
  `prepare e as delete from construction.ipcs; execute e`,
  `with x as (delete from construction.ipcs returning *) from x`,
  `select * from query('delete from construction.ipcs')`,
  `select * from query_table('${file}')`,
  `use memory; create table evil (x int)`,
  `detach analytics`,
  `select repeat('x', 3000000000)`,
  `from range(100000000000) a, range(100000000) b order by all`,
  `select count(*) from range(100000) a, range(100000) b, range(100000) c where (a.range * b.range + c.range) % 7 = 3`
]

const hashOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 6,
  run: async (attack) => {
    const { dice, isLong } = attack
    await using world = await World.open(attack, {
      hasSink: false,
      environment: { SITELEDGER_ALERT_URL: `http://127.0.0.1:1/${mark}` }
    })
    const worker = world.start()
    await worker.reaches("the worker is up")
    await world.sender.burst(12)
    await worker.reaches("everything is applied", ({ inbox }) => inbox.pending === 0)
    await worker.verb("publish")
    await worker.stop()
    const folder = mkdtempSync(join(tmpdir(), "siteledger-trust-sql-"))
    const file = join(folder, "canary.csv")
    writeFileSync(file, `${canary}\n1\n`)
    let connections = 0
    const listener = createServer((socket) => {
      connections++
      socket.destroy()
    }).listen(0, "127.0.0.1")
    await once(listener, "listening")
    const { port } = listener.address() as AddressInfo
    const copy = join(world.dataDir, "analytics.duckdb")
    const before = { copy: hashOf(copy), files: readdirSync(world.dataDir).toSorted().join(" ") }
    const secrets = [canary, mark, ...world.sandbox.subscriptions().map(({ secret }) => secret)]
    const key = join(world.dataDir, "key")
    if (existsSync(key)) secrets.push(readFileSync(key, "utf8").trim())
    const order = shuffled(dice, statements({ file, folder, port, dataDir: world.dataDir }))
    const violations: Array<string> = []
    let tried = 0
    try {
      for (const run of attack.runs()) {
        const statement = order[run]
        if (statement === undefined) break
        const { code, stderr, stdout } = await world.run(["query", statement, "--json"], mostMs)
        tried++
        const output = stdout + stderr.replaceAll(statement, "")
        const wrong = [
          ...(secrets.some((secret) => output.includes(secret)) ? ["showed a secret"] : []),
          ...(hashOf(copy) === before.copy ? [] : ["changed the copy"]),
          ...(readdirSync(world.dataDir).toSorted().join(" ") === before.files ? [] : ["changed the data directory"]),
          ...(readdirSync(folder).length === 1 ? [] : ["wrote a file"]),
          ...(connections === 0 ? [] : ["reached the network"]),
          ...(code === null ? [`crashed, or took longer than ${mostMs / 1000} s`] : [])
        ]
        connections = 0
        violations.push(...wrong.map((what) => `${what}: ${statement.slice(0, 100)}`))
      }
    } catch (cause) {
      violations.push(text(cause))
    } finally {
      listener.close()
      rmSync(folder, { recursive: true, force: true })
    }
    return { runs: tried, violations, figures: { statements: order.length, isAll: isLong && tried === order.length } }
  }
}
