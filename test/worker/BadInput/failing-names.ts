/**
 * Loaded into a worker before its own code: host names that end in .test are looked up as the file FAILING_NAMES says. It
 * holds the error of getaddrinfo, or nothing: then they are this machine.
 */
import dns from "node:dns"
import { readFileSync } from "node:fs"

const file = process.env["FAILING_NAMES"] ?? ""
const system = dns.lookup

type Answer = (error: Error | null, address?: unknown, family?: number) => void

const lookup = (hostname: string, options: dns.LookupOptions, answer: Answer): void => {
  if (!hostname.endsWith(".test")) return system(hostname, options, answer as never)
  const code = readFileSync(file, "utf8")
  const error = Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code, hostname, syscall: "getaddrinfo" })
  if (code !== "") return void setImmediate(answer, error)
  const [address, family] = ["127.0.0.1", 4]
  setImmediate(answer, null, options.all === true ? [{ address, family }] : address, family)
}

dns.lookup = lookup as typeof dns.lookup
