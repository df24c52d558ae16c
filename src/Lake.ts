/**
 * The Lake is where the files of an export go: a folder or a bucket, addressed by paths with slashes relative to
 * its root.
 *
 * A file is visible whole or not at all, and a write returns after it is durable. Dying in the middle leaves at most
 * something unfinished that no path names; each implementation clears its own away. Nothing here knows what the
 * files mean, or which of them are immutable: that is the Export's.
 */
import { Context, type Effect, type Option, Schema } from "effect"

export class LakeError extends Schema.TaggedError<LakeError>()("LakeError", {
  /** Denied and Full: a person must give access or room. Failed: it can be tried again. */
  reason: Schema.Literals(["Denied", "Full", "Failed"]),
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export class Lake extends Context.Service<
  Lake,
  {
    /** Takes a local file over: once this returns, `localFile` is the Lake's and may be gone. */
    readonly put: (path: string, localFile: string) => Effect.Effect<void, LakeError>
    /** Replaces what was at `path`, so that a reader sees the old text or the new. */
    readonly putText: (path: string, text: string) => Effect.Effect<void, LakeError>
    readonly readText: (path: string) => Effect.Effect<Option.Option<string>, LakeError>
    /** In bytes; none when there is no such file. */
    readonly size: (path: string) => Effect.Effect<Option.Option<number>, LakeError>
    /** The paths of all files below a folder ("events/"; "" is everything), in the order of their text. */
    readonly list: (folder: string) => Effect.Effect<ReadonlyArray<string>, LakeError>
    /** A file that isn't there is removed already. */
    readonly remove: (path: string) => Effect.Effect<void, LakeError>
  }
>()("siteledger/Lake") {}
