/**
 * Carries out the verbs about a worker's setup.
 *
 * `doctor` runs in a process of its own, the worker's program with the worker's environment: what the checks do reaches nothing
 * of the worker's. It is killed after two minutes, and with the scope.
 */
import { Duration, Effect, Option, Schema, Semaphore, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { Settings } from "../../../config/Settings.ts"
import * as Json from "../../Domain/Json.ts"
import type { Handler, VerbName } from "../AdminApi.ts"
import { Findings } from "../AdminApi/SetupVerbs.ts"
import { VerbError } from "../AdminApi/Verb.ts"

const patience = Duration.minutes(2)

const oneAtATime = Semaphore.makeUnsafe(1)

const decode = Schema.decodeUnknownEffect(Findings)

const [node, program = "", verb] = process.argv

/** It ends with 1 if a check failed, and has printed its findings then, too. */
const findings = Effect.gen(function* () {
  const handle = yield* ChildProcess.make(
    node ?? process.execPath,
    [...process.execArgv, program, "doctor", "--json"],
    {
      stdin: "ignore",
      stderr: "ignore",
      killSignal: "SIGKILL"
    }
  )
  const printed = yield* Stream.mkString(Stream.decodeText(handle.stdout))
  return yield* decode(Json.parse(printed))
})

const failed = new VerbError({
  message: "The checks ended without an answer: run `siteledger doctor` on the worker's machine, which says why."
})

const late = new VerbError({ message: "The checks took longer than two minutes, and were stopped." })

/** The settings of a demo are in no environment. */
const notHere = new VerbError({ message: "Only a worker that `siteledger start` runs can be checked." })

const doctor = Effect.gen(function* () {
  if (verb !== "start") return yield* notHere
  const checked = Effect.mapError(Effect.interruptible(Effect.scoped(findings)), () => failed)
  return yield* Option.getOrElse(yield* Effect.timeoutOption(Effect.map(checked, Effect.succeed), patience), () => late)
}).pipe(oneAtATime.withPermit)

export const setup = {
  settings: () => Effect.map(Settings, ({ inForce }) => ({ settings: inForce })),
  doctor: () => doctor
} satisfies { readonly [Name in VerbName]?: Handler<Name> }
