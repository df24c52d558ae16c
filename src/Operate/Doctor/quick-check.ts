/**
 * A separate process for SQLite's quick check of one file, because only ending the process interrupts it. Prints the
 * verdict: "ok", or what is damaged.
 */
import { openReadOnly } from "./ReadOnly.ts"

const check = (path: string): string => {
  try {
    const verdict = openReadOnly(path).prepare("pragma quick_check(1)").get()
    return String(Object.values(verdict ?? {})[0])
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

process.stdout.write(check(process.argv[2] ?? ""))
