/** Keeps the lines of a run, and writes docs/trust.md from them. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Line } from "./Goal.ts"

const file = join(import.meta.dirname, "last-run.jsonl")

export const write = (lines: ReadonlyArray<Line>): void =>
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
