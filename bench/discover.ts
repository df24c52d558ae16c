/**
 * Discovery of a document of 854 operations: the verb from its start to the review file and, in processes of their own,
 * discovery plus the review's text, compared with plain JSON.parse of the same bytes. Goals: 0.5 s, and 100 MB beyond
 * what the process needs anyway. Run: node bench/discover.ts [DOCUMENT]
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { round, start } from "./Child.ts"
import { openApiDocument } from "./OpenApiDocument.ts"
import { ranged } from "./Ranges.ts"

interface Once {
  readonly ms: number
  readonly operations: number
  readonly peakMb: number
  readonly grownMb: number
}

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 7)
const folder = mkdtempSync(join(tmpdir(), "siteledger-bench-"))
const given = process.argv.slice(2).find((word) => word.endsWith(".json"))
const path = given === undefined ? join(folder, "openapi.json") : resolve(given)
if (given === undefined) writeFileSync(path, openApiDocument())

const launcher = join(import.meta.dirname, "../bin/siteledger")

const verb = async (): Promise<number> => {
  const from = performance.now()
  const words = ["discover", path, "--review", join(folder, `review-${from}.json`)]
  const child = spawn(launcher, words, { stdio: "ignore" })
  const [code] = (await once(child, "close")) as [number | null]
  if (code !== 0) throw new Error(`siteledger discover ended with ${code}`)
  return round(performance.now() - from, 0)
}

const oneOf = async (what: "discover" | "parse"): Promise<Once> =>
  JSON.parse((await start("DiscoverOnce.ts", what, path)).line) as Once

const all: Array<Record<string, number>> = []
let operations = 0
// The first start compiles.
await verb()
for (let index = 0; index < rounds; index++) {
  const [parsed, discovered] = [await oneOf("parse"), await oneOf("discover")]
  operations = discovered.operations
  all.push({
    verbMs: await verb(),
    discoverMs: discovered.ms,
    parseMs: parsed.ms,
    ofParse: round(discovered.ms / parsed.ms, 1),
    grownMb: discovered.grownMb,
    parseGrownMb: parsed.grownMb
  })
}
const megabytes = round(readFileSync(path).byteLength / 1e6, 1)
rmSync(folder, { recursive: true })
process.stdout.write(`${JSON.stringify({ bench: "discover", operations, megabytes, ...ranged(all) })}\n`)
