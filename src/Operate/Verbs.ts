/**
 * What a person can ask of the stores, whether a worker is running (through the admin listener) or not (the
 * command line takes the lock itself). Each returns what to show, as JSON.
 */
import { Duration, Effect, Redacted, Result, Schema } from "effect"
import * as Parse from "../../config/Parse.ts"
import { Apply } from "../Intake/Apply.ts"
import * as Instant from "../Domain/Instant.ts"
import { Export } from "../Lake/Export.ts"
import { Publish } from "../Lake/Publish.ts"
import { Secrets } from "../Intake/Secrets.ts"
import { Restart } from "../Runtime/Restart.ts"
import { Store } from "../Stores/Store.ts"
import { Uptime } from "../Intake/Uptime.ts"
import * as Seam from "../Stores/Seam.ts"

export class VerbError extends Schema.TaggedError<VerbError>()("VerbError", { message: Schema.String }) {}

type Argument = Readonly<Record<string, string>>

const argument = (given: Argument, name: string): Effect.Effect<string, VerbError> =>
  given[name] === undefined
    ? Effect.fail(new VerbError({ message: `The argument ${name} is missing.` }))
    : Effect.succeed(given[name])

export const exportNow = Effect.flatMap(Export, (service) => service.run)

export const publish = Effect.flatMap(Publish, (service) => Effect.andThen(service.now, service.status))

export const replay = Effect.flatMap(Apply, (service) => service.replay)

export const backup = (given: Argument) =>
  Effect.gen(function* () {
    const path = yield* argument(given, "path")
    const store = yield* Store
    yield* store.backup(path, given["replace"] === "true")
    return { path }
  })

/** The warehouse is made again from the inbox and a fresh walk; the old file is kept. */
export const rebuild = Effect.gen(function* () {
  const isAtNextStart = yield* Seam.rebuild(yield* Store)
  if (isAtNextStart) yield* Effect.flatMap(Restart, (service) => service.request)
  return { rebuilding: true }
})

/** A person says that what was missed since `from` has been replayed, or doesn't matter. */
export const closeGap = (given: Argument) =>
  Effect.gen(function* () {
    const from = Instant.readMicros(yield* argument(given, "from"))
    const reason = yield* argument(given, "reason")
    const uptime = yield* Uptime
    const gaps = yield* uptime.gaps
    // People copy times to the second.
    const gap = gaps.find(({ fromMs }) => from !== undefined && Math.abs(fromMs - from / 1000) < 1000)
    if (gap === undefined) {
      const open = gaps.map(({ fromMs }) => Instant.fromMillis(fromMs)).join(", ") || "none"
      return yield* new VerbError({ message: `No open gap begins at ${given["from"]}. Open gaps begin at: ${open}.` })
    }
    yield* uptime.close(gap.fromMs, gap.toMs, reason)
    return { closed: { from: Instant.fromMillis(gap.fromMs), to: Instant.fromMillis(gap.toMs), reason } }
  })

export const listSecrets = Effect.flatMap(Secrets, (service) => Effect.map(service.list, (secrets) => ({ secrets })))

/** A webhook secret of a subscription made by hand, valid at once beside all others. */
export const addSecret = (given: Argument) =>
  Effect.gen(function* () {
    const text = (yield* argument(given, "secret")).trim()
    if (!/^\S{8,}$/.test(text)) return yield* notOneSecret
    const secrets = yield* Secrets
    return { added: yield* secrets.add(Redacted.make(text)) }
  })

const notOneSecret = new VerbError({ message: "One secret is needed, of at least 8 characters, without spaces." })

/** `in`: how long it stays valid, like `24 hours`; without it, it ends at once. */
export const retireSecret = (given: Argument) =>
  Effect.gen(function* () {
    const fingerprint = yield* argument(given, "fingerprint")
    const after = given["in"] === undefined ? Result.succeed(Duration.zero) : Parse.duration(given["in"])
    if (Result.isFailure(after)) return yield* new VerbError({ message: `--in ${after.failure}` })
    const secrets = yield* Secrets
    return {
      retired: yield* secrets.retire(fingerprint, { after: after.success, isForced: given["force"] === "true" })
    }
  })
