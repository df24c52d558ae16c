/**
 * Writes signed deliveries as files of requests for `wrk.lua`, in its own process. Prints how many there are. Run: node
 * bench/Requests.ts usual|long|stripe SERIES COUNT FILE…
 */
import { closeSync, openSync, writeSync } from "node:fs"
import { mixed } from "./Signed.ts"
import { stripeRequest } from "./StripeEvents.ts"

const [kind = "usual", series = "a", count = "1000", ...paths] = process.argv.slice(2)
const total = Number(count)
const atOnce = 1000

const requestOf = (n: number): Buffer =>
  kind === "stripe" ? stripeRequest(series, n) : mixed(series, n, kind === "long").request

const files = paths.map((path) => openSync(path, "w"))
for (let first = 0; first < total; first += atOnce) {
  const parts: Array<Array<Buffer>> = files.map(() => [])
  for (let n = first; n < Math.min(total, first + atOnce); n++) {
    const request = requestOf(n)
    parts[n % files.length]!.push(Buffer.from(String(request.byteLength).padStart(8, "0")), request)
  }
  for (const [place, file] of files.entries()) writeSync(file, Buffer.concat(parts[place]!))
}
for (const file of files) closeSync(file)
process.stdout.write(`${total}\n`)
