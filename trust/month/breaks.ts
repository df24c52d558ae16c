/**
 * Proves that the month's judge works: plants one break after the other into a copy of the sources and plays a short
 * month on it: `node trust/month/breaks.ts [--only N] [--from N] [--to N] [--ipcs N] [--seed N]`. Every break has to be
 * detected.
 */
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { Line } from "../Goal.ts"
import type { Break } from "../simulation/Break.ts"
import { broken } from "../simulation/breaks.ts"
import { breaks } from "./Planted.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const mostMs = 1_200_000

const copied = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-trust-broken-"))
  const left = new Set([".git", "dist", "node_modules"])
  for (const name of readdirSync(root).filter((each) => !left.has(each)))
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (from) => !from.includes("node_modules")
    })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

/** The first violation that the month reports, if any. */
const seen = async (planted: Break, words: ReadonlyArray<string>): Promise<string | undefined> => {
  const folder = copied()
  try {
    writeFileSync(join(folder, planted.file), broken(planted))
    const child = spawn(process.execPath, ["trust/all.ts", "month", ...words, "--engine", "duckdb"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: mostMs
    })
    let output = ""
    for await (const piece of child.stdout) output += String(piece)
    const line = JSON.parse(output.split("\n")[0] || '{"broken":["it didn\'t end"]}') as Extract<Line, { runs: number }>
    return line.broken?.[0]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const text = { type: "string" } as const
const { values } = parseArgs({ options: { only: text, from: text, to: text, ipcs: text, seed: text } })
const words = ["--ipcs", values.ipcs ?? "60", "--kills", "1", "--seed", values.seed ?? "1"]
const missed: Array<number> = []
for (const [number, planted] of breaks.entries()) {
  if (values.only !== undefined && number !== Number(values.only)) continue
  if (number < Number(values.from ?? 0) || number > Number(values.to ?? breaks.length)) continue
  const said = await seen(planted, words)
  if (said === undefined) missed.push(number)
  console.log(`${number} ${planted.file}: ${planted.why} — ${said?.slice(0, 300) ?? "NOT SEEN"}`)
}
console.log(missed.length === 0 ? "all were seen" : `not seen: ${missed.join(", ")}`)
process.exitCode = missed.length === 0 ? 0 : 1
