/**
 * One process of the discovery benchmark: reads a document and parses it (`parse`), or also discovers it (`discover`).
 * Prints milliseconds and peak memory.
 */
import { readFileSync } from "node:fs"
import { Result } from "effect"
import { discover } from "../src/Discovery/Discovery.ts"
import { open } from "../src/Discovery/Document.ts"
import { write } from "../src/Discovery/Review/Write.ts"
import { peakMb, round } from "./Child.ts"

const [what, path = ""] = process.argv.slice(2)
const loadedMb = peakMb()
const from = performance.now()
const document: unknown = JSON.parse(readFileSync(path, "utf8"))
let operations = 0
if (what === "discover") {
  const options = {
    plan: { requestsPerMinute: 600, pageSize: 1000 },
    shown: new Set(["/projects"]),
    taken: new Set<string>()
  }
  const found = discover(Result.getOrThrow(open(document)), options)
  operations = found.operations.length
  write(found.review)
}
const ms = round(performance.now() - from, 1)
process.stdout.write(`${JSON.stringify({ ms, operations, peakMb: peakMb(), grownMb: peakMb() - loadedMb })}\n`)
