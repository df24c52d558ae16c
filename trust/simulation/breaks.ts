/**
 * Proves that the simulation works: plants one break after the other into a copy of the sources and plays at most 200
 * seeds of each: `node trust/simulation/breaks.ts [--only N] [--from N] [--to N] [--seeds N]`. Every break has to be
 * detected.
 */
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs, promisify } from "node:util"
import type { Break } from "./Break.ts"
import { breaks } from "./Planted.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const mostSeeds = 200

export const broken = ({ file, find, replace }: Break): string => {
  const pieces = readFileSync(join(root, file), "utf8").split(find)
  if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} places with ${find}`)
  return pieces.join(replace)
}

/** A copy of the sources, in which breaks are planted. */
const copied = (): string => {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "breaks-"))
  for (const name of ["config", "connectors", "src", "test", "trust", "package.json"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (from) => !from.includes("node_modules") })
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

/** What it printed. */
const run = async (folder: string, options: ReadonlyArray<string>): Promise<string> => {
  const running = promisify(execFile)(process.execPath, ["trust/simulation/run.ts", ...options], {
    cwd: folder,
    timeout: 900_000,
    maxBuffer: 2 ** 26
  })
  // oxlint-disable-next-line promise/prefer-await-to-then
  const { stdout } = await running.catch((cause: { readonly stdout: string }) => cause)
  return stdout
}

/** The output of a run with these options while a break is planted. */
export const printed = async (
  planted: Break,
  ...runs: ReadonlyArray<ReadonlyArray<string>>
): Promise<ReadonlyArray<string>> => {
  const folder = copied()
  try {
    writeFileSync(join(folder, planted.file), broken(planted))
    return await Promise.all(runs.map((options) => run(folder, options)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The first violation, with its seed; undefined: there was none. */
const found = async (planted: Break, seeds: number): Promise<string | undefined> => {
  const [all = ""] = await printed(planted, ["--seed", "1", "--runs", String(seeds), "--first"])
  return /^seed \d+: (?!trace).*$/m.exec(all)?.[0]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { only: { type: "string" }, from: { type: "string" }, to: { type: "string" }, seeds: { type: "string" } }
  })
  const missed: Array<number> = []
  for (const [number, planted] of breaks.entries()) {
    if (values.only !== undefined && number !== Number(values.only)) continue
    if (number < Number(values.from ?? 0) || number > Number(values.to ?? breaks.length)) continue
    const said = await found(planted, Number(values.seeds ?? mostSeeds))
    if (said === undefined) missed.push(number)
    console.log(`${number} ${planted.file}: ${planted.why} — ${said?.slice(0, 160) ?? "NOT FOUND"}`)
  }
  console.log(`${missed.length === 0 ? "all were found" : `not found: ${missed.join(", ")}`}`)
  process.exitCode = missed.length === 0 ? 0 : 1
}
