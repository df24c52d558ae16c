/**
 * A full disk at each stage: while deliveries are taken, applied, exported, published, and at the start; by a limit on
 * the size of every file, and on a small file system of its own. Acknowledged events are kept, and the worker goes on
 * once there is space again.
 */
import { spawnSync } from "node:child_process"
import { rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Dice } from "../../sandbox/Seed.ts"
import { type Attack, type Findings, type Goal, shuffled } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { pause } from "../../bench/Waiting.ts"
import { World } from "../World.ts"
import type { Worker } from "../../bench/WorkerProcess.ts"

interface Stage {
  readonly world: World
  readonly worker: Worker
  readonly dice: Dice
  /** Takes the free space away. */
  readonly fill: () => void
}

const stages: Readonly<Record<string, (stage: Stage) => Promise<unknown>>> = {
  taking: async ({ fill, world }) => {
    fill()
    await world.sender.burst(40, () => undefined, 20_000)
  },
  applying: async ({ dice, fill, world }) => {
    const sent = world.sender.burst(80, () => undefined, 2000)
    await pause(dice.below(200))
    fill()
    await sent
  },
  exporting: async ({ dice, fill, worker, world }) => {
    await world.sender.burst(20)
    const asked = worker.verb("export")
    await pause(dice.below(100))
    fill()
    await asked
  },
  publishing: async ({ fill, worker, world }) => {
    await world.sender.burst(20)
    fill()
    await worker.verb("publish")
  }
}

/** Runs the stages; `fill` and `free` act on the current worker. */
const staged = async (
  attack: Attack,
  world: World,
  room: { readonly fill: (worker: Worker) => void; readonly free: (worker: Worker) => void }
): Promise<Findings> => {
  const { dice } = attack
  let worker = world.start()
  await worker.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
  const violations: Array<string> = []
  let ended = 0
  let runs = 0
  let order: Array<string> = []
  for (const run of attack.runs()) {
    if (order.length === 0) order = shuffled(dice, Object.keys(stages))
    const name = order.pop() ?? "taking"
    await stages[name]?.({ world, worker, dice, fill: () => room.fill(worker) })
    await pause(300 + dice.below(700))
    // Half of the time the worker also dies while the disk is full.
    if (dice.chance(0.5)) await worker.kill()
    if (worker.hasEnded) {
      ended++
      worker = world.start()
      if (dice.chance(0.5)) room.fill(worker)
      await pause(dice.below(1500))
    }
    room.free(worker)
    if (worker.hasEnded) worker = world.start()
    await worker
      .reaches(`the worker is up after ${name}`)
      .catch((cause: unknown) => void violations.push(String(cause)))
    runs = run + 1
  }
  const judged = await judge(world, worker)
  return {
    runs,
    violations: [...violations, ...judged.violations],
    figures: { statuses: Object.fromEntries(world.sender.statuses), restarts: ended, events: judged.events }
  }
}

const limit = (worker: Worker, bytes: string): void =>
  void spawnSync("prlimit", ["--pid", String(worker.pid), `--fsize=${bytes}:`])

/** A file system of this size at the data directory, if this user may mount one. */
const mounted = (folder: string, megabytes: number): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]).status === 0

const filler = "filler"

const onSmallDisk = async (attack: Attack): Promise<Findings | undefined> => {
  await using world = await World.open(attack)
  const folder = world.dataDir
  if (!mounted(folder, 160)) return undefined
  try {
    return await staged(attack, world, {
      fill: () => {
        const { bavail, bsize } = statfsSync(folder)
        const bytes = Buffer.alloc(Math.max(0, (bavail - attack.dice.below(8)) * bsize))
        try {
          writeFileSync(join(folder, filler), bytes)
        } catch {
          // The worker wrote at the same time, and the disk is full anyway.
        }
      },
      free: () => rmSync(join(folder, filler), { force: true })
    })
  } finally {
    spawnSync("umount", ["-l", folder])
  }
}

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 3,
  run: async (attack) => {
    if (spawnSync("prlimit", ["--version"]).status !== 0) return { skipped: "prlimit isn't installed" }
    const limited = async (): Promise<Findings> => {
      await using world = await World.open(attack)
      return await staged(attack, world, {
        fill: (worker) => limit(worker, String(20_000 + attack.dice.below(200_000))),
        free: (worker) => limit(worker, "unlimited")
      })
    }
    const first = await limited()
    const second = await onSmallDisk(attack)
    return {
      runs: first.runs + (second?.runs ?? 0),
      violations: [...first.violations, ...(second?.violations ?? [])],
      figures: { limited: first.figures, smallDisk: second?.figures ?? "mounting one needs root" }
    }
  }
}
