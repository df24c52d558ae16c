/**
 * This machine, for `siteledger doctor`: Node, the folders and the room in them, the key, the listeners' addresses.
 */
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { Effect, Option } from "effect"
import type { Listen, Settings } from "../../../config/Settings.ts"
import { fail, ok, type CheckResult, warn } from "../Doctor.ts"
import { opened } from "../../Intake/Secrets/Rows.ts"
import { Seal } from "../../Runtime/Seal.ts"
import { isEmbedded } from "../../Stores/Engine.ts"
import { whyNot } from "../../Runtime/SystemFailure.ts"

const oldestNode = [22, 19] as const

export const node = Effect.sync((): CheckResult => {
  const { version } = process
  const [major = 0, minor = 0] = version.slice(1).split(".").map(Number)
  const isFitting = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
  return isFitting
    ? ok(`Node ${version}.`)
    : fail(`Node ${version} is too old.`, `Install ${oldestNode.join(".")} or newer.`)
})

/** The folder itself, or the one in which it is going to be made. */
const standing = (path: string): string => (existsSync(path) ? path : standing(dirname(path)))

const gib = 1024 ** 3
const littleGib = 5
const tooLittleGib = 0.2

/** `what` is made when it isn't there, and written to; `name` is the variable that says where. */
export const folder = (path: string, name: string) =>
  Effect.sync((): CheckResult => {
    const there = standing(path)
    if (!statSync(there).isDirectory()) return fail(`${there} is no folder.`, `Choose another one (${name}).`)
    try {
      accessSync(there, constants.W_OK | constants.X_OK)
    } catch {
      return fail(`${there} can't be written to.`, `Give this user the right to, or choose another folder (${name}).`)
    }
    const { bavail, bsize } = statfsSync(there)
    const free = (bavail * bsize) / gib
    const told = `${path} ${there === path ? "can be written to" : "can be made"}; ${free.toFixed(1)} GiB are free.`
    if (free < tooLittleGib) return fail(told, "Make room: a full disk takes no deliveries.")
    return free < littleGib ? warn(told, "Make room before it is used up.") : ok(told)
  })

/** Making one is left to the worker. */
export const hasKey = ({ dataDir, key }: Settings["Service"]): boolean =>
  Option.isSome(key) || existsSync(join(dataDir, "key"))

export const key = (settings: Settings["Service"]) =>
  Effect.gen(function* () {
    const path = join(settings.dataDir, "key")
    if (Option.isSome(settings.key)) return ok("SITELEDGER_KEY is set.")
    if (existsSync(path)) {
      const usable = yield* Effect.result(Effect.provide(Seal, Seal.layer))
      if (usable._tag === "Failure") return fail(usable.failure.message)
    }
    const where = existsSync(path) ? `The key is the file ${path}.` : `The key is made at the first start: ${path}.`
    if (isEmbedded(settings)) return ok(where)
    return warn(
      where,
      "Workers on one database must share it: set SITELEDGER_KEY (or SITELEDGER_KEY_FILE) to the same for all of them."
    )
  })

/** Whether what is sealed in the Store opens here. */
export const secrets = (settings: Settings["Service"], sealed: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    if (sealed.length === 0) return ok("No webhook secret is sealed in the store yet.")
    const what = "The webhook secrets in the store"
    // To look with a key that is made for it would open nothing.
    if (!hasKey(settings)) return fail(`${what} can't be opened: there is no key.`, keyAdvice)
    const seal = yield* Effect.provide(Seal, Seal.layer)
    const texts = yield* Effect.forEach(sealed, (text) => opened(seal, { sealed: text }))
    const foreign = texts.filter((text) => text === undefined).length
    if (foreign === 0) return ok(`${what} can be opened (${sealed.length}).`)
    return fail(`${foreign} of ${sealed.length} webhook secrets were sealed with another key.`, keyAdvice)
  })

const keyAdvice = "Set SITELEDGER_KEY to the key they were sealed with, or put its file back."

/** Held by the worker that runs, or free. */
export const listener = ({ host, port }: Listen, name: string, isRunning: boolean) =>
  Effect.callback<CheckResult>((resume) => {
    const address = `${host}:${port}`
    const answer = (said: CheckResult): void => resume(Effect.succeed(said))
    if (port === 0) return answer(ok(`${address}: the system chooses a port.`))
    const server = createServer()
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === "EADDRINUSE"
      if (isTaken && isRunning) return answer(ok(`${address} is held, as it is to be by the running worker.`))
      if (isTaken) return answer(fail(`Another program listens on ${address}.`, `End it, or change ${name}.`))
      return answer(fail(`Nobody can listen on ${address}: ${whyNot(cause)}.`, `Change ${name}.`))
    })
    server.listen(port, host, () =>
      server.close(() =>
        answer(
          isRunning
            ? warn(`${address} is free, though a worker runs.`, `Was ${name} changed? Restart the worker.`)
            : ok(`${address} is free.`)
        )
      )
    )
  })
