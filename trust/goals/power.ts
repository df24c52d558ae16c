/**
 * Power cuts. The data directory is a file system in an image file. At a random moment the worker is frozen and the
 * image is copied: it contains what the file system had written by then, and nothing that was only in memory. The
 * worker is killed and starts again on the copy; no acknowledged event may be lost.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Goal } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { pause, text } from "../../bench/Waiting.ts"
import { World } from "../World.ts"

const imageMb = 192

const did = (command: string, ...args: ReadonlyArray<string>): boolean => spawnSync(command, args).status === 0

class Disk {
  readonly #image: string
  readonly #at: string

  constructor(folder: string, at: string) {
    this.#image = join(folder, "image")
    this.#at = at
  }

  /** False if this machine or this user can't. */
  make(): boolean {
    writeFileSync(this.#image, "")
    return (
      did("truncate", "-s", `${imageMb}M`, this.#image) && did("mkfs.ext4", "-q", "-F", this.#image) && this.mount()
    )
  }

  mount(): boolean {
    return did("mount", "-o", "loop", this.#image, this.#at)
  }

  unmount(): void {
    did("umount", "-l", this.#at)
  }

  /** Copies what a cut would leave now. Two equal copies show that the kernel isn't writing at this moment. */
  cut(): void {
    let last = readFileSync(this.#image)
    for (let next = readFileSync(this.#image); !next.equals(last); next = readFileSync(this.#image)) last = next
    writeFileSync(`${this.#image}.cut`, last)
  }

  /** Continues with what the cut left. */
  replace(): boolean {
    did("umount", this.#at)
    renameSync(`${this.#image}.cut`, this.#image)
    return this.mount()
  }
}

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 2,
  run: async (attack) => {
    const { dice } = attack
    const folder = mkdtempSync(join(tmpdir(), "siteledger-trust-disk-"))
    await using world = await World.open(attack)
    const disk = new Disk(folder, world.dataDir)
    try {
      if (!disk.make()) return { skipped: "it needs mkfs.ext4 and the right to mount an image" }
      const violations: Array<string> = []
      let worker = world.start()
      await worker.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
      let runs = 0
      for (const run of attack.runs()) {
        const traffic = new AbortController()
        const genuine = world.sender.steadily(traffic.signal, 60)
        await pause(300 + dice.below(1500))
        if (dice.chance(0.3)) void worker.verb(dice.pick(["export", "publish"]))
        await pause(dice.below(200))
        process.kill(worker.pid, "SIGSTOP")
        // Waits for the arrival of answers sent before the freeze.
        await pause(50)
        disk.cut()
        await worker.kill()
        traffic.abort()
        await genuine
        if (!disk.replace()) throw new Error("the image couldn't be mounted again")
        worker = world.start()
        await worker
          .reaches(`the worker is up after cut ${run}`)
          .catch((cause: unknown) => void violations.push(text(cause).slice(0, 300)))
        runs = run + 1
      }
      const judged = await judge(world, worker)
      const figures = { cuts: runs, acknowledged: world.sender.acknowledged.size, events: judged.events }
      return { runs, violations: [...violations, ...judged.violations], figures }
    } finally {
      disk.unmount()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
