/**
 * Carries out the verbs about a worker's setup.
 *
 * `doctor` runs in a separate process, with the worker's program and environment, so that the checks can't affect the
 * worker. It is killed after two minutes, or when the scope closes.
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

/** It exits with 1 if a check failed, but has still printed its findings. */
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

/** The settings of a demo aren't in any environment. */
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
