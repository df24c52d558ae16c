/**
 * Loaded before a verb: kills its process at one of the calls that change something in an archive's folder, on either
 * side of it. `KILLED_AT` is `before 3` or `after 3`; without it, each call is only written to `KILLED_LOG`, by its
 * name.
 */
import fs, { appendFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { basename } from "node:path"

const [when, at] = (process.env["KILLED_AT"] ?? "never -1").split(" ")
const log = process.env["KILLED_LOG"] ?? ""
let calls = 0

const isArchive = (path: unknown): path is string =>
  typeof path === "string" && /\/_?archive\/[0-9a-z-]+\/\d{4}-/.test(path)

const die = (): void => {
  process.kill(process.pid, "SIGKILL")
  // Nothing else runs here until the signal has come.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

const names = ["renameSync", "rmSync", "writeFileSync"] as const
const promised = ["rename", "rm"] as const

const counted = (name: string, given: ReadonlyArray<unknown>): number => {
  const path = given.findLast(isArchive)
  if (path === undefined) return -1
  const place = path.includes("/_archive/") ? "lake" : "folder"
  if (log !== "") appendFileSync(log, `${name} ${place} ${basename(path).replace(/^.*?-0*(\d+)\./, "$1.")}\n`)
  return calls++
}

const wrap = (of: Record<string, (...given: ReadonlyArray<unknown>) => unknown>, name: string): void => {
  const real = of[name]!
  of[name] = (...given) => {
    const isHere = counted(name, given) === Number(at)
    if (isHere && when === "before") die()
    const done = real.apply(of, [...given])
    if (!isHere || when !== "after") return done
    return done instanceof Promise ? done.then(die, die) : die()
  }
}

for (const name of names) wrap(fs as never, name)
for (const name of promised) wrap(fs.promises as never, name)
syncBuiltinESMExports()
