/**
 * The wall clock of a goal's workers, which is ahead of the machine's by as much as the goal says (`ShiftedClock`). It moves
 * while they run; the monotonic clock doesn't.
 */
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "../bench/WorkerProcess.ts"

const preload = join(import.meta.dirname, "ShiftedClock.ts")

export class WallClock {
  readonly #file: string

  /** `file`: where its shift is kept. */
  constructor(file: string) {
    this.#file = file
    this.set(0)
  }

  set(aheadMs: number): void {
    // A worker that reads it while it is written would see no shift.
    writeFileSync(`${this.#file}.new`, String(aheadMs))
    renameSync(`${this.#file}.new`, this.#file)
  }

  /** Of a worker that has it. */
  get environment(): Environment {
    return {
      TRUST_CLOCK_FILE: this.#file,
      NODE_OPTIONS: `--import=${preload} --disable-warning=ExperimentalWarning`
    }
  }
}
