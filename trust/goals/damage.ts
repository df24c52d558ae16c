/**
 * Each file of the data directory in turn removed, emptied, truncated, zeroed in part or flipped in its head, middle or
 * tail, after a kill -9. The next start must come back by itself within a minute, hold every acknowledged event, because
 * each is in two places, and say what it found. Every case begins with the same directory.
 */
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Attack, Goal } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { pause, text, within } from "../Waiting.ts"
import { World } from "../World.ts"
import type { Worker } from "../Worker.ts"

const mostSeconds = 60

/** What a bad disk or a careless hand does to a file's bytes; undefined removes it. */
const damages: Readonly<Record<string, (bytes: Buffer) => Buffer | undefined>> = {
  removed: () => undefined,
  emptied: () => Buffer.alloc(0),
  truncated: (bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.6)),
  zeroed: (bytes) => spoiled(bytes, Math.floor(bytes.length / 3), Math.ceil(bytes.length / 3), () => 0),
  "flipped head": (bytes) => spoiled(bytes, 4, 8, (byte) => byte ^ 0xff),
  "flipped middle": (bytes) => spoiled(bytes, Math.floor(bytes.length / 2), 8, (byte) => byte ^ 0xff),
  "flipped tail": (bytes) => spoiled(bytes, Math.max(0, bytes.length - 12), 8, (byte) => byte ^ 0xff)
}

const spoiled = (bytes: Buffer, from: number, count: number, change: (byte: number) => number): Buffer => {
  const copy = Buffer.from(bytes)
  for (let at = from; at < Math.min(copy.length, from + count); at++) copy[at] = change(copy[at] ?? 0)
  return copy
}

/** Can be made again from other files, so a worker needn't speak about them. */
const quiet =
  /^(analytics\.duckdb|worker\.json|lock|(inbox|rows)\/(known|key|id|beside)|key\.copy|ledger-sent|store\.sqlite-shm|lake)/

/** Of several files alike, the first and the last. */
const filesOf = (folder: string): ReadonlyArray<string> => {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).size > 0)
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => !/^lake\/(?!latest\.json|_manifests|events)/.test(file))
    .toSorted()
  const alike = Map.groupBy(all, (file) => file.replace(/[0-9a-f-]{8,}|\d+/g, "#"))
  return [...alike.values()].flatMap((files) => [...new Set([files[0] ?? "", files.at(-1) ?? ""])])
}

/** A directory as kill -9 leaves it: deliveries applied and not yet applied, an export, a published copy. */
const prepare = async (world: World): Promise<void> => {
  const first = world.start()
  await first.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
  await world.sender.burst(40)
  await first.reaches("everything is applied", ({ inbox }) => inbox.pending === 0)
  await first.verb("export")
  await first.verb("publish")
  await first.kill()
  const second = world.start()
  await second.reaches("the worker is up")
  await world.sender.burst(40)
  await second.reaches("some of it is applied")
  await second.kill()
}

/** A file of an earlier export isn't made again: `lake verify` finds it. */
const isAllowed = (violation: string, file: string): boolean =>
  file.startsWith("lake/") && (violation.includes("lake verify ends with 1") || violation.startsWith("the export"))

/** In the log or in the status. */
const says = (worker: Worker, reasons: ReadonlyArray<unknown>): boolean =>
  reasons.length > 0 || /level=(WARN|ERROR|FATAL)/i.test(worker.log)

const attempt = async (world: World, file: string): Promise<ReadonlyArray<string>> => {
  const worker = world.start()
  try {
    const from = performance.now()
    const status = await within(mostSeconds * 1000, async () => (worker.hasEnded ? null : worker.status()))
    if (status === null) return [`the worker ended with ${worker.exitCode}: ${worker.log.trim().slice(-250)}`]
    if (status === undefined) return [`not up within ${mostSeconds} s: ${worker.log.trim().slice(-250)}`]
    await world.sender.burst(4)
    // A reason may take a moment to be found.
    await pause(Math.max(0, 1500 - (performance.now() - from)))
    const reasons = (await worker.status())?.reasonDetails ?? []
    const { violations } = await judge(world, worker, false)
    const unsaid = quiet.test(file) || says(worker, reasons) ? [] : ["said nothing"]
    return [...violations.filter((one) => !isAllowed(one, file)), ...unsaid]
  } catch (cause) {
    return [`${text(cause).slice(0, 250)}`]
  } finally {
    await worker.kill()
  }
}

/** All in the long form; in the short one each file once. */
const casesOf = ({ dice, isLong }: Attack, files: ReadonlyArray<string>) => {
  const all = files.flatMap((file) => Object.keys(damages).map((damage) => [file, damage] as const))
  const kinds = Object.keys(damages)
  const sample = files.map((file) => [file, kinds[dice.below(kinds.length)] ?? "removed"] as const)
  return (isLong ? all : sample).toSorted(() => dice.below(3) - 1)
}

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 8,
  run: async (attack) => {
    await using world = await World.open(attack, { hasSink: false })
    await prepare(world)
    const kept = `${world.dataDir}-kept`
    cpSync(world.dataDir, kept, { recursive: true })
    const known = { acknowledged: new Map(world.sender.acknowledged), told: [...world.sender.tale.told] }
    const violations: Array<string> = []
    const failed = new Map<string, string>()
    let runs = 0
    try {
      const cases = casesOf(attack, filesOf(kept))
      for (const run of attack.runs()) {
        const [file, damage] = cases[run] ?? []
        if (file === undefined || damage === undefined) break
        rmSync(world.dataDir, { recursive: true, force: true })
        cpSync(kept, world.dataDir, { recursive: true })
        world.sender.restore(known.acknowledged, known.told)
        const path = join(world.dataDir, file)
        const bytes = damages[damage]?.(readFileSync(path))
        if (bytes === undefined) rmSync(path)
        else writeFileSync(path, bytes)
        const broken = await attempt(world, file)
        if (broken[0] !== undefined) failed.set(`${file} ${damage}`, `${broken[0]} (${broken.length})`)
        violations.push(...broken.map((sentence) => `${file} ${damage}: ${sentence}`))
        runs++
      }
    } finally {
      rmSync(kept, { recursive: true, force: true })
    }
    return { runs, violations, figures: { acknowledged: known.acknowledged.size, failed: Object.fromEntries(failed) } }
  }
}
