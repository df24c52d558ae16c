/**
 * The Lake is where the files of an export go: a folder or a bucket, addressed by paths with slashes relative to its
 * root.
 *
 * A file is visible whole or not at all, and a write returns once it is durable. If the process dies in the middle, at
 * most an unfinished file is left that no path names; `abandon` clears it away. The Lake doesn't know what the files
 * mean, or which of them are immutable: the Export does.
 */
import { Context, type Effect, type Option, Schema } from "effect"

export class LakeError extends Schema.TaggedError<LakeError>()("LakeError", {
  /**
   * Denied and Full: a person must grant access or make room. Overtaken: the text to replace isn't the expected one.
   * Failed: it can be tried again.
   */
  reason: Schema.Literals(["Denied", "Full", "Overtaken", "Failed"]),
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

/** In bytes. The manifest of a century of events is shorter. */
export const longestText = 16 * 1024 * 1024

export interface Text {
  /** Empty if the file is longer than `longestText`: then it isn't ours, so it isn't read. */
  readonly text: string
  /** Opaque: `replaceText` compares it. Two writes of the same text may have different versions. */
  readonly version: string
}

/** Unguarded: the store can't compare and has written unconditionally, so there must be a single writer. */
export type Replaced = "guarded" | "unguarded"

export class Lake extends Context.Service<
  Lake,
  {
    /** For people: a folder or an `s3://` address. */
    readonly name: string
    /** Takes over a local file: once this returns, `localFile` belongs to the Lake and may be gone. */
    readonly put: (path: string, localFile: string) => Effect.Effect<void, LakeError>
    /**
     * Writes a text that has no other writers. It replaces what was there; a reader sees either the old text or the
     * new.
     */
    readonly putText: (path: string, text: string) => Effect.Effect<void, LakeError>
    readonly readText: (path: string) => Effect.Effect<Option.Option<Text>, LakeError>
    /**
     * Replaces exactly the version that was read; none means that there must be no such file yet. If several replace
     * the same version, one succeeds and the others are Overtaken, provided that the store can compare. After any other
     * error the text may or may not be there.
     */
    readonly replaceText: (
      path: string,
      text: string,
      expected: Option.Option<string>
    ) => Effect.Effect<Replaced, LakeError>
    /** Fetches into a local file, which is created or replaced; false if the Lake has no such file. */
    readonly fetch: (path: string, localFile: string) => Effect.Effect<boolean, LakeError>
    /** In bytes; none if there is no such file. */
    readonly size: (path: string) => Effect.Effect<Option.Option<number>, LakeError>
    /** Sizes in bytes of all files below a folder, by path and sorted as in `list`. */
    readonly sizes: (folder: string) => Effect.Effect<ReadonlyMap<string, number>, LakeError>
    /** The paths of all files below a folder ("events/"; "" is everything), sorted as text. */
    readonly list: (folder: string) => Effect.Effect<ReadonlyArray<string>, LakeError>
    /** Also succeeds if there is no such file. */
    readonly remove: (path: string) => Effect.Effect<void, LakeError>
    /** Clears away unfinished files that the caller considers abandoned. */
    readonly abandon: (isAbandoned: (path: string) => boolean) => Effect.Effect<void, LakeError>
  }
>()("siteledger/Lake") {}
