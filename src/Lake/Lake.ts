/**
 * The Lake is where the files of an export go: a folder or a bucket, addressed by paths with slashes relative to
 * its root.
 *
 * A file is visible whole or not at all, and a write returns after it is durable. Dying in the middle leaves at most
 * something unfinished that no path names: `abandon` clears it away. Nothing here knows what the files mean, or which
 * of them are immutable: that is the Export's.
 */
import { Context, type Effect, type Option, Schema } from "effect"

export class LakeError extends Schema.TaggedError<LakeError>()("LakeError", {
  /**
   * Denied and Full: a person must give access or room. Overtaken: something else is there than what was to be
   * replaced. Failed: it can be tried again.
   */
  reason: Schema.Literals(["Denied", "Full", "Overtaken", "Failed"]),
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

/** In bytes. A manifest of a century has fewer. */
export const longestText = 16 * 1024 * 1024

export interface Text {
  /** Empty when the file is longer than `longestText`: it is none of ours, and not read. */
  readonly text: string
  /** Opaque: `replaceText` compares it. Of the same text at the same path it may differ from write to write. */
  readonly version: string
}

/** Unguarded: the store can't compare, and has written whatever was there. There must be a single writer then. */
export type Replaced = "guarded" | "unguarded"

export class Lake extends Context.Service<
  Lake,
  {
    /** For people: a folder or an `s3://` address. */
    readonly name: string
    /** Takes a local file over: once this returns, `localFile` is the Lake's and may be gone. */
    readonly put: (path: string, localFile: string) => Effect.Effect<void, LakeError>
    /** Writes what nobody else writes; whatever was there is replaced, so that a reader sees the old text or the new. */
    readonly putText: (path: string, text: string) => Effect.Effect<void, LakeError>
    readonly readText: (path: string) => Effect.Effect<Option.Option<Text>, LakeError>
    /**
     * Replaces exactly the version that was read; none: there must be no such file yet. Of several who replace the
     * same version one succeeds and the others are Overtaken, where the store can tell. After any other error the
     * text may be there or not.
     */
    readonly replaceText: (
      path: string,
      text: string,
      expected: Option.Option<string>
    ) => Effect.Effect<Replaced, LakeError>
    /** Into a local file, which is made or replaced; false when the Lake has no such file. */
    readonly fetch: (path: string, localFile: string) => Effect.Effect<boolean, LakeError>
    /** In bytes; none when there is no such file. */
    readonly size: (path: string) => Effect.Effect<Option.Option<number>, LakeError>
    /** The paths of all files below a folder ("events/"; "" is everything), in the order of their text. */
    readonly list: (folder: string) => Effect.Effect<ReadonlyArray<string>, LakeError>
    /** A file that isn't there is removed already. */
    readonly remove: (path: string) => Effect.Effect<void, LakeError>
    /** Clears away what is unfinished of the files whose path the caller says nobody is writing any more. */
    readonly abandon: (isAbandoned: (path: string) => boolean) => Effect.Effect<void, LakeError>
  }
>()("siteledger/Lake") {}
