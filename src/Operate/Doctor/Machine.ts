/**
 * This machine, for `siteledger doctor`: Node, the folders and their free space, the key, the listeners' addresses.
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

/** The folder itself, or the nearest one above it that exists. */
const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)))

const gib = 1024 ** 3
const littleGib = 5
const tooLittleGib = 0.2

/** Whether the folder can be written to or created. `name`: the variable that names it. */
export const folder = (path: string, name: string) =>
  Effect.sync((): CheckResult => {
    const there = nearest(path)
    if (!statSync(there).isDirectory()) return fail(`${there} is not a folder.`, `Choose another one (${name}).`)
    try {
      accessSync(there, constants.W_OK | constants.X_OK)
    } catch {
      return fail(`${there} can't be written to.`, `Grant this user write access, or choose another folder (${name}).`)
    }
    const { bavail, bsize } = statfsSync(there)
    const free = (bavail * bsize) / gib
    const sentence = `${path} ${there === path ? "can be written to" : "can be created"}; ${free.toFixed(1)} GiB are free.`
    if (free < tooLittleGib) return fail(sentence, "Free space: with a full disk no delivery is accepted.")
    return free < littleGib ? warn(sentence, "Free space before it is used up.") : ok(sentence)
  })

/** Only the worker creates one. */
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
    const where = existsSync(path) ? `The key is the file ${path}.` : `The key is created at the first start: ${path}.`
    if (isEmbedded(settings)) return ok(where)
    return warn(
      where,
      "Workers on one database must share it: set SITELEDGER_KEY (or SITELEDGER_KEY_FILE) to the same value for all of them."
    )
  })

/** Whether the secrets sealed in the Store can be opened with this key. */
export const secrets = (settings: Settings["Service"], sealed: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    if (sealed.length === 0) return ok("No webhook secret is sealed in the store yet.")
    const what = "The webhook secrets in the store"
    // Loading it would create a key, which decrypts nothing.
    if (!hasKey(settings)) return fail(`${what} can't be opened: there is no key.`, keyAdvice)
    const seal = yield* Effect.provide(Seal, Seal.layer)
    const texts = yield* Effect.forEach(sealed, (text) => opened(seal, { sealed: text }))
    const foreign = texts.filter((text) => text === undefined).length
    if (foreign === 0) return ok(`${what} can be opened (${sealed.length}).`)
    return fail(`${foreign} of ${sealed.length} webhook secrets were sealed with another key.`, keyAdvice)
  })

const keyAdvice = "Set SITELEDGER_KEY to the key they were sealed with, or put its file back."

/** Whether the address is held by the running worker, or free. */
export const listener = ({ host, port }: Listen, name: string, isRunning: boolean) =>
  Effect.callback<CheckResult>((resume) => {
    const address = `${host}:${port}`
    const answer = (result: CheckResult): void => resume(Effect.succeed(result))
    if (port === 0) return answer(ok(`${address}: the system chooses a port.`))
    const server = createServer()
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === "EADDRINUSE"
      if (isTaken && isRunning) return answer(ok(`${address} is held by the running worker.`))
      if (isTaken) return answer(fail(`Another program is listening on ${address}.`, `Stop it, or change ${name}.`))
      return answer(fail(`The worker can't listen on ${address}: ${whyNot(cause)}.`, `Change ${name}.`))
    })
    server.listen(port, host, () =>
      server.close(() =>
        answer(
          isRunning
            ? warn(`${address} is free although a worker is running.`, `Was ${name} changed? Restart the worker.`)
            : ok(`${address} is free.`)
        )
      )
    )
  })
