/**
 * The wall clock of a goal's workers, which is ahead of the machine's by an offset that the goal sets (`ShiftedClock`).
 * The offset changes while they run; the monotonic clock isn't affected.
 */
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "../bench/WorkerProcess.ts"

const preload = join(import.meta.dirname, "ShiftedClock.ts")

export class WallClock {
  readonly #file: string

  /** `file`: where the offset is kept. */
  constructor(file: string) {
    this.#file = file
    this.set(0)
  }

  set(aheadMs: number): void {
    // Written to another file first: a worker that read a half-written file would see no offset.
    writeFileSync(`${this.#file}.new`, String(aheadMs))
    renameSync(`${this.#file}.new`, this.#file)
  }

  /** The environment of a worker with this clock. */
  get environment(): Environment {
    return {
      TRUST_CLOCK_FILE: this.#file,
      NODE_OPTIONS: `--import=${preload} --disable-warning=ExperimentalWarning`
    }
  }
}
