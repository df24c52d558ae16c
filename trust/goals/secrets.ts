/**
 * Each setting contains a marked secret, as do the service's tokens and signing secrets. Then all output is searched
 * for them, in several encodings: the log, the answers, every file, the exports, the copy for analysts, the doctor's
 * findings, a backup.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Attack, Goal } from "../Goal.ts"
import { Proxy } from "../Proxy.ts"
import { pause } from "../../bench/Waiting.ts"
import { inDuckDb, mark, World } from "../World.ts"
import { type Environment, program, run } from "../../bench/WorkerProcess.ts"

const hex = (dice: Attack["dice"]): string => Array.from({ length: 64 }, () => dice.below(16).toString(16)).join("")

/** Encodings in which it might be written by accident. */
const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url")
  ]
}

type Places = Map<string, Buffer>

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** The rows of a DuckDB file, which stores them compressed. */
const rowsOf = async (file: string): Promise<Buffer> => {
  const tables = await inDuckDb(file, "select schema_name || '.' || table_name as name from duckdb_tables()")
  const rows: Array<string> = []
  for (const { name } of tables) rows.push(JSON.stringify(await inDuckDb(file, `select * from ${String(name)}`)))
  return Buffer.from(rows.join("\n"))
}

const verbs = [
  ["doctor"],
  ["doctor", "--json"],
  ["status"],
  ["status", "--json"],
  ["secret", "list"],
  ["ledger", "list", "--json"],
  ["ledger", "holds", "--json"],
  ["explain", "IPC-0", "--json"],
  ["lake", "list"],
  ["lake", "sql"],
  ["query", "from duckdb_settings()"],
  ["login", "--status"]
] as const

type Named = Readonly<Record<string, string>>

const used = async (world: World, named: Named, places: Places, chosen: ReadonlyArray<(typeof verbs)[number]>) => {
  const worker = world.start({ LOG_LEVEL: "All" })
  await worker.reaches("the worker is up")
  await world.sender.burst(24)
  // Each of these makes the worker complain.
  world.sink.refusal = 500
  const forged = { method: "POST", headers: { "X-Service-Signature": world.sender.secret }, body: "{}" }
  await fetch(world.sender.url, forged).catch(() => undefined)
  world.sandbox.faults.set("html", 1)
  await pause(1500)
  await worker.verb("secret-add", { secret: named["a secret added by hand"] })
  await worker.verb("secret-add", { secret: 5, wrong: named["a secret added by hand"] })
  world.sandbox.faults.set("html", 0)
  world.sink.refusal = undefined
  await worker.reaches("everything is applied", ({ inbox }) => inbox.pending === 0)
  await worker.verb("export")
  await worker.verb("publish")
  await Promise.all(
    chosen.map(async (verb) => {
      const { stderr, stdout } = await world.run(verb)
      places.set(`siteledger ${verb.join(" ")}`, Buffer.from(stdout + stderr))
    })
  )
  await world.run(["backup", join(world.dataDir, "backup.sqlite")])
  const { admin = "" } = worker.note() ?? {}
  for (const path of ["/status", "/metrics", "/health/ready"]) {
    places.set(path, Buffer.from(await (await fetch(admin + path)).text()))
  }
  await worker.kill()
  places.set("the log", Buffer.from(worker.log))
}

/** Starts that must end with a sentence, which must not repeat the value. */
const refused = async (world: World, named: Named, places: Places): Promise<void> => {
  const wrong: Readonly<Record<string, Environment>> = {
    "a wrong key": { SITELEDGER_KEY: named["the sink's secret"] ?? "" },
    "a wrong alert URL": { SITELEDGER_ALERT_URL: `http://example.com/${named["the alert's URL"]}` },
    "a wrong engine": { SITELEDGER_WAREHOUSE: `mysql://user:${named["the database's password"]}@host/db` },
    "no server": { SITELEDGER_WAREHOUSE: `postgres://user:${named["the database's password"]}@127.0.0.1:1/db` }
  }
  for (const [name, environment] of Object.entries(wrong)) {
    const bare = { ...world.environment, ...environment }
    const { stderr, stdout } = await run(bare, ["doctor"])
    places.set(`${name} (${program.split("/").at(-1)} doctor)`, Buffer.from(stdout + stderr))
  }
}

export const goal: Goal = {
  engines: ["duckdb", "postgres"],
  runs: 1,
  run: async (attack) => {
    const { dice } = attack
    const named: Record<string, string> = {
      "the client's secret": `${mark}-client-${dice.below(1e9)}`,
      "the sink's secret": `${mark}-of-the-sink`,
      "the alert's URL": `${mark}-alert-${dice.below(1e9)}`,
      "the database's password": `${mark}-database-${dice.below(1e9)}`,
      "a secret added by hand": `${mark}-by-hand-${dice.below(1e9)}`,
      "the key": hex(dice)
    }
    const tokens = await Proxy.open(0)
    tokens.kept = []
    await using world = await World.open(attack, {
      sandbox: { clientSecret: named["the client's secret"] },
      environment: {
        SITELEDGER_AUTH_URL: tokens.url,
        SITELEDGER_WALK_EVERY: "1 second",
        SITELEDGER_KEY: named["the key"] ?? "",
        SITELEDGER_ALERT_URL: `http://127.0.0.1:1/${named["the alert's URL"]}`
      }
    })
    tokens.target = Number(new URL(world.sandbox.authUrl).port)
    const places: Places = new Map()
    await used(
      world,
      named,
      places,
      verbs.filter(([first]) => attack.isLong || first === "doctor" || dice.chance(0.3))
    )
    await refused(world, named, places)
    for (const file of filesBelow(world.dataDir)) {
      places.set(file.slice(world.dataDir.length + 1), readFileSync(file))
    }
    places.set("the database", Buffer.from(await world.tables()))
    places.set("rows of the analysts' copy", await rowsOf(join(world.dataDir, "analytics.duckdb")))
    const { kept } = tokens
    tokens.close()
    for (const [, token] of String(Buffer.concat(kept)).matchAll(/"(?:access|refresh)_token":"([^"]+)"/g)) {
      named[`token ${Object.keys(named).length}`] = token ?? ""
    }
    for (const { secret } of world.sandbox.subscriptions()) named["the subscription's secret"] = secret
    const violations = Object.entries(named).flatMap(([name, secret]) =>
      [...places].flatMap(([place, bytes]) =>
        spellings(secret).some((text) => bytes.includes(text)) ? [`${name} is in ${place}`] : []
      )
    )
    for (const file of ["key", "worker.json", "store.sqlite"]) {
      const mode = statSync(join(world.dataDir, file), { throwIfNoEntry: false })?.mode ?? 0
      if ((mode & 0o077) !== 0) violations.push(`${file} can be read by others (${(mode & 0o777).toString(8)})`)
    }
    return { runs: 1, violations, figures: { secrets: Object.keys(named).length, places: places.size } }
  }
}
