/**
 * Proves the simulation itself: plants one break after the other into a copy of the sources and plays at most 200 seeds
 * of each: `node trust/simulation/breaks.ts [--only N] [--from N] [--to N] [--seeds N]`. Every break has to be found.
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

/** The sources, to be broken. */
const copied = (): string => {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "breaks-"))
  for (const name of ["config", "connectors", "src", "test", "trust", "package.json"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (from) => !from.includes("node_modules") })
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

/** The first line that says what was violated; undefined: nothing was. */
const play = async (folder: string, seeds: number): Promise<string | undefined> => {
  const command = ["trust/simulation/run.ts", "--seed", "1", "--runs", String(seeds), "--first"]
  const run = promisify(execFile)(process.execPath, command, { cwd: folder, timeout: 900_000, maxBuffer: 2 ** 26 })
  // oxlint-disable-next-line promise/prefer-await-to-then
  return run.then(
    () => undefined,
    (cause: { readonly stdout: string; readonly stderr: string }) =>
      (cause.stdout.split("\n")[0] || cause.stderr.split("\n").find((line) => line.includes("Error"))) ?? "no answer"
  )
}

/** Which break is planted, and what the simulation says of it. */
export const found = async (planted: Break, seeds = mostSeeds): Promise<string | undefined> => {
  const folder = copied()
  try {
    writeFileSync(join(folder, planted.file), broken(planted))
    return await play(folder, seeds)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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
