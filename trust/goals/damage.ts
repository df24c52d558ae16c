/**
 * Each file of the data directory in turn is removed, emptied, truncated, partly zeroed, or flipped in its head, middle
 * or tail and in each region of its format, after a kill -9 (the databases also after a stop, when their logs are
 * empty). The next start must recover by itself within a minute, hold every acknowledged event, because each is in two
 * places, and report the damage; `lake verify` names a damaged file of an export. Every case begins with one of these
 * directories.
 */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Attack, type Goal, shuffled } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { regionsOf } from "../Regions.ts"
import type { Told } from "../Tale.ts"
import { pause, text, within } from "../../bench/Waiting.ts"
import { World } from "../World.ts"
import type { Worker } from "../../bench/WorkerProcess.ts"

const mostSeconds = 60

const databases = /^(store\.sqlite|warehouse\.duckdb)$/

/** Rows are in their log within a second. */
const logMs = 1500

/** What a bad disk or a careless person does to a file's bytes; undefined removes the file. */
type Damage = (bytes: Buffer) => Buffer | undefined

const damages: Readonly<Record<string, Damage>> = {
  removed: () => undefined,
  emptied: () => Buffer.alloc(0),
  truncated: (bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.6)),
  zeroed: (bytes) => spoiled(bytes, Math.floor(bytes.length / 3), Math.ceil(bytes.length / 3), () => 0),
  "flipped head": (bytes) => flipped(bytes, 4),
  "flipped middle": (bytes) => flipped(bytes, Math.floor(bytes.length / 2)),
  "flipped tail": (bytes) => flipped(bytes, Math.max(0, bytes.length - 12))
}

const damagesOf = (file: string, bytes: Buffer): Readonly<Record<string, Damage>> => {
  const regions = Object.entries(regionsOf(file, bytes)).map(([region, at]) => [
    `flipped ${region}`,
    (original: Buffer) => flipped(original, at)
  ])
  const all = { ...damages, ...(Object.fromEntries(regions) as Record<string, Damage>) }
  if (!file.endsWith(".sqlite")) return all
  // SQLite has no checksums: a changed byte in a row, or in free space, is only noticed by a read of that row.
  const { "flipped middle": _middle, "flipped tail": _tail, ...structure } = all
  return structure
}

const flipped = (bytes: Buffer, at: number): Buffer => spoiled(bytes, at, 8, (byte) => byte ^ 0xff)

const spoiled = (bytes: Buffer, from: number, count: number, change: (byte: number) => number): Buffer => {
  const copy = Buffer.from(bytes)
  for (let at = from; at < Math.min(copy.length, from + count); at++) copy[at] = change(copy[at] ?? 0)
  return copy
}

/** Files that can be made again from others, so a worker need not report them. */
const quiet =
  /^(analytics\.duckdb|worker\.json|lock|(inbox|rows)\/(known|key|id|beside)|key\.copy|ledger-sent|store\.sqlite-shm|lake)/

/** Of several similar files, the first and the last. */
const filesOf = (folder: string): ReadonlyArray<string> => {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).size > 0)
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => !/^lake\/(?!latest\.json|_manifests|events)/.test(file))
    .toSorted()
  const alike = Map.groupBy(all, (file) => file.replace(/[0-9a-f-]{8,}|\d+/g, "#"))
  return [...alike.values()].flatMap((files) => [...new Set([files[0] ?? "", files.at(-1) ?? ""])])
}

/** A data directory and the contents that it must have. */
interface State {
  readonly folder: string
  readonly isStopped: boolean
  readonly acknowledged: ReadonlyMap<string, number>
  readonly told: ReadonlyArray<Told>
}

const kept = ({ dataDir, sender }: World, isStopped: boolean): State => {
  const folder = `${dataDir}-${isStopped ? "stopped" : "killed"}`
  cpSync(dataDir, folder, { recursive: true })
  return { folder, isStopped, acknowledged: new Map(sender.acknowledged), told: [...sender.tale.told] }
}

/**
 * One as a stop leaves it, and one as kill -9 leaves it: some rows in the files, some in their logs, some events not
 * applied.
 */
const prepare = async (world: World): Promise<ReadonlyArray<State>> => {
  const first = world.start()
  await first.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
  await world.sender.burst(40)
  await first.reaches("everything is applied", ({ inbox }) => inbox.pending === 0)
  await first.verb("export")
  await first.verb("publish")
  await first.stop()
  const stopped = kept(world, true)
  const second = world.start()
  await second.reaches("the worker is up")
  await world.sender.burst(40)
  await second.reaches("everything is applied", ({ inbox }) => inbox.pending === 0)
  await pause(logMs)
  await world.sender.burst(20)
  await second.kill()
  return [stopped, kept(world, false)]
}

interface Case {
  readonly state: State
  readonly file: string
  readonly name: string
  readonly damage: Damage
}

/** The next export may name a file of an earlier one, too. Such a file isn't made again, but `lake verify` finds it. */
const isAllowed = (violation: string, file: string, all: ReadonlyArray<string>): boolean =>
  file.startsWith("lake/") &&
  /^siteledger lake verify ends|^the export/.test(violation) &&
  all.some((one) => one.startsWith("siteledger lake verify ends with 1"))

/**
 * The files of an export are covered by each other's hashes: the pointer has the manifest's, the manifest the others'.
 */
const unnamed = async (world: World, file: string): Promise<ReadonlyArray<string>> => {
  if (!file.startsWith("lake/")) return []
  const { code, stderr, stdout } = await world.run(["lake", "verify"])
  const isNamed = (stdout + stderr).includes(file.slice("lake/".length))
  return code === 1 && isNamed ? [] : [`lake verify ends with ${code} and doesn't name it`]
}

/**
 * SQLite doesn't read a page of which its log has a newer version. A crash may also leave the end of the log damaged: a
 * transaction that was being written.
 */
const isHidden = ({ file, name, state }: Omit<Case, "damage">): boolean =>
  !state.isStopped &&
  ((file === "store.sqlite" && name.startsWith("flipped")) || (file === "store.sqlite-wal" && /tail|last/.test(name)))

/** In the log or in the status. */
const says = (worker: Worker, reasons: ReadonlyArray<unknown>): boolean =>
  reasons.length > 0 || /level=(WARN|ERROR|FATAL)/i.test(worker.log)

const attempt = async (world: World, { file, name, state }: Case): Promise<ReadonlyArray<string>> => {
  const unseen = await unnamed(world, file)
  const worker = world.start()
  try {
    const from = performance.now()
    const status = await within(mostSeconds * 1000, async () => (worker.hasEnded ? null : worker.status()))
    if (status === null) return [`the worker ended with ${worker.exitCode}: ${worker.log.trim().slice(-250)}`]
    if (status === undefined) return [`not up within ${mostSeconds} s: ${worker.log.trim().slice(-250)}`]
    await world.sender.burst(4)
    // Damage that an export encounters makes that export fail; the next one succeeds.
    if (databases.test(file)) {
      await within(mostSeconds * 1000, async () => ((await worker.verb("export")) === undefined ? undefined : true))
    }
    // A reason may take a moment to appear.
    await pause(Math.max(0, 1500 - (performance.now() - from)))
    const reasons = (await worker.status())?.reasonDetails ?? []
    const { violations } = await judge(world, worker, false)
    const unsaid = quiet.test(file) || isHidden({ file, name, state }) || says(worker, reasons) ? [] : ["said nothing"]
    return [...violations.filter((one) => !isAllowed(one, file, violations)), ...unsaid, ...unseen]
  } catch (cause) {
    return [`${text(cause).slice(0, 250)}`]
  } finally {
    await worker.kill()
  }
}

/** All cases in the long form; in the short form, each file once. */
const casesOf = ({ dice, isLong }: Attack, states: ReadonlyArray<State>): ReadonlyArray<Case> => {
  const cases = states.flatMap((state) => {
    const files = filesOf(state.folder).filter((file) => !state.isStopped || databases.test(file))
    return files.flatMap((file) => {
      const all = Object.entries(damagesOf(file, readFileSync(join(state.folder, file))))
      const some = isLong ? all : all.slice(dice.below(all.length)).slice(0, 1)
      return some.map(([name, damage]) => ({ state, file, name, damage }))
    })
  })
  return shuffled(dice, cases)
}

/** Returns what is broken. */
const tried = async (world: World, next: Case): Promise<ReadonlyArray<string>> => {
  const { damage, file, state } = next
  rmSync(world.dataDir, { recursive: true, force: true })
  cpSync(state.folder, world.dataDir, { recursive: true })
  world.sender.restore(state.acknowledged, state.told)
  const path = join(world.dataDir, file)
  const bytes = damage(readFileSync(path))
  if (bytes === undefined) rmSync(path)
  else writeFileSync(path, bytes)
  return attempt(world, next)
}

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 8,
  isFirst: true,
  run: async (attack) => {
    await using world = await World.open(attack, { hasSink: false })
    const states = await prepare(world)
    const violations: Array<string> = []
    const failed = new Map<string, string>()
    let runs = 0
    try {
      const cases = casesOf(attack, states)
      for (const run of attack.runs()) {
        const next = cases[run]
        if (next === undefined) break
        const broken = await tried(world, next)
        const what = `${next.file} ${next.name} after a ${next.state.isStopped ? "stop" : "kill"}`
        if (broken[0] !== undefined) failed.set(what, `${broken[0]} (${broken.length})`)
        violations.push(...broken.map((sentence) => `${what}: ${sentence}`))
        runs++
      }
    } finally {
      for (const { folder } of states) rmSync(folder, { recursive: true, force: true })
    }
    const acknowledged = states.at(-1)?.acknowledged.size
    return { runs, violations, figures: { acknowledged, failed: Object.fromEntries(failed) } }
  }
}
