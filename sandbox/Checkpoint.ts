/**
 * What a sandbox keeps on disk to continue as the same service after a kill -9: its subscriptions with their secrets,
 * the number of steps, and their times. One small JSON file, replaced as a whole (temporary file, then rename; not
 * synced, so a power cut may lose it), readable only by its owner.
 *
 * Steps are promised before they happen. A step below the saved count has its final timestamp, and after a crash all
 * promised steps count as done, so no event ever has two bodies. A file that is torn, foreign or from a sandbox with
 * other data is replaced, and one log line reports it.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { Clock, Effect, Option, Schema } from "effect"
import type { Anchor } from "./Events.ts"
import type { ResolvedOptions, SandboxOptions } from "./Options.ts"
import { codeOf } from "../src/Runtime/SystemFailure.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const SavedSubscription = Schema.Struct({
  id: Count,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  secret: Schema.String,
  createdAtMillis: Schema.Int,
  /** It receives events from this step on. */
  createdAtStep: Count,
  /** Default: active. */
  state: Schema.optionalKey(Schema.Literals(["active", "paused", "deleted"])),
  /** Every event below has been delivered or has failed permanently. */
  unsettledFrom: Count
})
export type SavedSubscription = typeof SavedSubscription.Type

const File = Schema.Struct({
  version: Schema.Literal(1),
  seed: Schema.Finite,
  startAtMillis: Schema.Int,
  /** The options that shape the data. */
  options: Schema.Record(Schema.String, Schema.Finite),
  steps: Count,
  anchors: Schema.NonEmptyArray(Schema.Struct({ step: Count, atMillis: Schema.Int })),
  subscriptions: Schema.Array(SavedSubscription)
})
type File = typeof File.Type
type Contents = Pick<File, "steps" | "subscriptions">

export class CheckpointError extends Schema.TaggedError<CheckpointError>()("CheckpointError", {
  message: Schema.String
}) {}

export interface Checkpoint extends Contents {
  /** With the file's seed and start. */
  readonly options: ResolvedOptions
  readonly anchors: ReadonlyArray<Anchor>
  /** Calls `contents` when it writes; does nothing without a path. */
  readonly save: (contents: () => Contents) => Effect.Effect<void, CheckpointError>
}

const shapeOf = ({
  ipcs,
  microsPerStep,
  projects,
  stepsPerNewProject,
  stepsPerProjectChange
}: ResolvedOptions): File["options"] => ({
  ipcs,
  microsPerStep,
  projects,
  stepsPerNewProject,
  stepsPerProjectChange
})

/** Names of the options that differ. A seed or start that wasn't given doesn't differ. */
const differences = (file: File, given: SandboxOptions, resolved: ResolvedOptions): ReadonlyArray<string> => {
  const compared = [
    ["seed", given.seed !== undefined && resolved.seed !== file.seed],
    ["startAt", given.startAt !== undefined && resolved.startAtMillis !== file.startAtMillis],
    ...Object.entries(shapeOf(resolved)).map(([name, value]) => [name, file.options[name] !== value] as const)
  ] as const
  return compared.filter(([, differs]) => differs).map(([name]) => name)
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(File))

/** The file, undefined where there is none. Fails with the reason why it can't be used. */
const read = (path: string): Effect.Effect<File | undefined, string> =>
  Effect.try({ try: () => readFileSync(path, "utf8"), catch: (cause) => cause }).pipe(
    Effect.catch((cause) =>
      codeOf(cause) === "ENOENT" ? Effect.undefined : Effect.fail(`can't be read (${String(cause)})`)
    ),
    Effect.flatMap((text) => {
      if (text === undefined) return Effect.undefined
      return Option.match(decode(text), {
        onNone: () => Effect.fail("is cut off or not a sandbox's file"),
        onSome: (file) => Effect.succeed(file)
      })
    })
  )

const write = (path: string, text: string) => {
  const temporary = `${path}.tmp`
  mkdirSync(dirname(path), { recursive: true })
  rmSync(temporary, { force: true })
  writeFileSync(temporary, text, { flag: "wx", mode: 0o600 })
  renameSync(temporary, path)
}

/** Promised steps keep their times. The next one comes after them, and not before now. */
const continued = ({ anchors, steps }: File, microsPerStep: number, nowMillis: number): ReadonlyArray<Anchor> => {
  const last = anchors[anchors.length - 1] ?? anchors[0]
  const following = last.atMillis + Math.ceil(((steps - last.step) * microsPerStep) / 1000)
  return [...anchors.filter(({ step }) => step < steps), { step: steps, atMillis: Math.max(nowMillis, following) }]
}

export const open = Effect.fnUntraced(function* (
  given: SandboxOptions,
  resolved: ResolvedOptions
): Effect.fn.Return<Checkpoint> {
  const { statePath: path } = resolved
  const fresh: Checkpoint = {
    options: resolved,
    anchors: [{ step: 0, atMillis: resolved.startAtMillis }, ...(given.anchors ?? [])],
    steps: 0,
    subscriptions: [],
    save: () => Effect.void
  }
  if (path === undefined) return fresh
  const found = yield* read(path).pipe(
    Effect.filterOrFail(
      (file) => file === undefined || differences(file, given, resolved).length === 0,
      (file) => `was made with a different ${file === undefined ? "" : differences(file, given, resolved).join(", ")}`
    ),
    Effect.catch((reason) =>
      Effect.as(Effect.logWarning(`The sandbox starts from scratch: ${path} ${reason}.`), undefined)
    )
  )
  const { seed, startAtMillis } = found ?? resolved
  const options = { ...resolved, seed, startAtMillis }
  const anchors =
    found === undefined ? fresh.anchors : continued(found, options.microsPerStep, yield* Clock.currentTimeMillis)
  return {
    options,
    anchors,
    steps: found?.steps ?? 0,
    subscriptions: found?.subscriptions ?? [],
    save: (contents) =>
      Effect.try({
        try: () => {
          const kept = { version: 1, seed, startAtMillis, options: shapeOf(options), anchors, ...contents() }
          write(path, JSON.stringify(kept))
        },
        catch: (cause) => new CheckpointError({ message: `The sandbox can't save its state: ${String(cause)}` })
      })
  }
})
