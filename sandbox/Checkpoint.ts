/**
 * What a sandbox keeps on disk to continue as the same service after a kill -9: its identity and OAuth clients, its
 * subscriptions with their secrets and states, the number of steps and their times, and the deliveries that failed
 * permanently. It is one JSON file (`Checkpoint/File.ts`).
 *
 * Steps are promised before they happen. A step below the saved count has its final timestamp, and after a crash all
 * promised steps count as done, so no event ever has two bodies. Options that aren't given are taken from the file. A
 * file that is torn, foreign or from a sandbox with other data is moved aside, and one log line reports it.
 */
import { Clock, Effect, Schema } from "effect"
import * as File from "./Checkpoint/File.ts"
import { whyNot } from "../src/Runtime/SystemFailure.ts"
import { resolve, type ResolvedOptions, type SandboxOptions } from "./Options.ts"

export type { SavedDelivery, SavedSubscription } from "./Checkpoint/File.ts"

/** What changes while the sandbox runs. */
type Contents = Required<Pick<File.File, "anchors" | "steps" | "subscriptions" | "nextDelivery" | "failed" | "waiting">>

export class CheckpointError extends Schema.TaggedError<CheckpointError>()("CheckpointError", {
  message: Schema.String
}) {}

export interface Checkpoint extends Contents {
  /** The given options, completed from the file. */
  readonly options: ResolvedOptions
  /** Calls `contents` when it writes; does nothing without a path. */
  readonly save: (contents: () => Contents) => Effect.Effect<void, CheckpointError>
}

const shapeOf = ({
  ipcs,
  largeAmounts,
  microsPerStep,
  projects,
  stepsPerNewProject,
  stepsPerProjectChange
}: ResolvedOptions): File.File["options"] => ({
  ipcs,
  largeAmounts: Number(largeAmounts),
  microsPerStep,
  projects,
  stepsPerNewProject,
  stepsPerProjectChange
})

/** Defaults for older files, which lack these options. */
const before: File.File["options"] = { largeAmounts: 1 }

/** The options that the file holds. */
const optionsOf = (file: File.File): SandboxOptions => {
  const { largeAmounts, microsPerStep: _, ...shape } = { ...before, ...file.options }
  const { clients, eventsPerSecond, identity, seed, startAtMillis: startAt } = file
  return { ...shape, largeAmounts: largeAmounts === 1, ...clients, eventsPerSecond, identity, seed, startAt }
}

const isGiven = ([, value]: readonly [string, unknown]): boolean => value !== undefined

/** The names of the options that differ. An option that wasn't given is taken from the file and doesn't differ. */
const differences = (file: File.File, resolved: ResolvedOptions): ReadonlyArray<string> => {
  const was: File.File["options"] = { ...before, ...file.options }
  const compared = [
    ["seed", resolved.seed !== file.seed],
    ["identity", file.identity !== undefined && resolved.identity !== file.identity],
    ["startAt", resolved.startAtMillis !== file.startAtMillis],
    ...Object.entries(shapeOf(resolved)).map(([name, value]) => [name, was[name] !== value] as const)
  ] as const
  return compared.filter(([, differs]) => differs).map(([name]) => name)
}

/** Promised steps keep their times. The next one comes after them, and not before now. */
const continued = ({ anchors, steps }: File.File, microsPerStep: number, nowMillis: number): File.File["anchors"] => {
  const last = anchors[anchors.length - 1] ?? anchors[0]
  const following = last.atMillis + Math.ceil(((steps - last.step) * microsPerStep) / 1000)
  const next = { step: steps, atMillis: Math.max(nowMillis, following) }
  const [first = next, ...others] = [...anchors.filter(({ step }) => step < steps), next]
  return [first, ...others]
}

const nothing = { steps: 0, subscriptions: [], nextDelivery: 1, failed: [], waiting: [] } as const

/** The file and the options that result from it; undefined: there is no usable file. */
const usable = (path: string, given: SandboxOptions) =>
  File.read(path).pipe(
    Effect.flatMap((file) => {
      if (file === undefined) return Effect.undefined
      const asked = { ...optionsOf(file), ...Object.fromEntries(Object.entries(given).filter(isGiven)) }
      return Effect.flatMap(resolve(asked), (options) => {
        const different = differences(file, options)
        if (different.length > 0) return Effect.fail(`was made with a different ${different.join(", ")}`)
        return Effect.succeed({ file, options: { ...options, isRealTime: given.startAt === undefined } })
      })
    }),
    Effect.catch((reason) =>
      Effect.gen(function* () {
        const aside = yield* Effect.option(File.moveAside(path))
        const kept = aside._tag === "Some" ? `; it is kept as ${aside.value}` : ""
        yield* Effect.logWarning(`The sandbox starts from scratch: ${path} ${reason}${kept}.`)
        return undefined
      })
    )
  )

const saving =
  (path: string, options: ResolvedOptions) =>
  (contents: () => Contents): Effect.Effect<void, CheckpointError> => {
    const { clientId, clientSecret, eventsPerSecond, identity, redirectUris, seed, startAtMillis } = options
    const clients = { clientId, clientSecret, redirectUris }
    const kept = { identity, seed, startAtMillis, eventsPerSecond, options: shapeOf(options), clients }
    return Effect.suspend(() => File.write(path, { version: 1, ...kept, ...contents() })).pipe(
      Effect.mapError(
        (cause) => new CheckpointError({ message: `The sandbox can't save its state in ${path}: ${whyNot(cause)}` })
      )
    )
  }

export const open = Effect.fnUntraced(function* (given: SandboxOptions): Effect.fn.Return<Checkpoint> {
  const { statePath: path } = given
  const found = path === undefined ? undefined : yield* usable(path, given)
  if (found === undefined) {
    const options = yield* resolve(given)
    const anchors = [{ step: 0, atMillis: options.startAtMillis }, ...(given.anchors ?? [])] as const
    const save = path === undefined ? () => Effect.void : saving(path, options)
    return { ...nothing, options, anchors, save }
  }
  const { file, options } = found
  const anchors = continued(file, options.microsPerStep, yield* Clock.currentTimeMillis)
  const { failed = [], nextDelivery = 1, steps, subscriptions, waiting = [] } = file
  return {
    options,
    anchors,
    steps,
    subscriptions,
    nextDelivery,
    failed,
    waiting,
    save: saving(options.statePath ?? "", options)
  }
})
