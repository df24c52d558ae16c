/**
 * The pointer of a Lake (`latest.json`) and the manifest that it names: what readers see.
 *
 * It moves atomically, and only from the version that was read. So of two concurrent exports, one is shown and the
 * other is Overtaken, and the pointer never goes back to an older export. If the process dies before the move, the old
 * export stays visible.
 */
import { Effect, Option, Schema } from "effect"
import type { Lake, LakeError } from "./Lake.ts"
import { sha256 } from "./LocalFiles.ts"
import * as Manifest from "./Manifest.ts"

type LakeService = Lake["Service"]

/** Another worker or machine exported to the same lake while this export was being made; readers see that one. */
export class Overtaken extends Schema.TaggedError<Overtaken>()("Overtaken", {
  message: Schema.String,
  /** The time of the export that readers see; null if it can't be read. */
  at: Schema.NullOr(Schema.String)
}) {}

interface Found {
  /** The version of the pointer; none if there is no pointer. */
  readonly version: Option.Option<string>
  /** None if there is none, or if it isn't a pointer. */
  readonly pointer: Option.Option<Manifest.Pointer>
}

export interface LakePointer extends Found {
  /** None if it is missing, isn't a manifest, or doesn't have the hash that the pointer says. */
  readonly manifest: Option.Option<Manifest.Manifest>
}

/** Without the manifest. */
export const find = (lake: LakeService): Effect.Effect<Found, LakeError> =>
  Effect.map(lake.readText(Manifest.pointerPath), (found) => ({
    version: Option.map(found, ({ version }) => version),
    pointer: Option.flatMap(found, ({ text }) => Manifest.parsePointer(text))
  }))

export const read = Effect.fn("LakePointer.read")(function* (
  lake: LakeService
): Effect.fn.Return<LakePointer, LakeError> {
  const found = yield* find(lake)
  const manifest = Option.isNone(found.pointer) ? Option.none() : yield* named(lake, found.pointer.value)
  return { ...found, manifest }
})

const named = (lake: LakeService, { manifest, sha256: expected }: Manifest.Pointer) =>
  Effect.map(
    lake.readText(manifest),
    Option.flatMap(({ text }) => (sha256(text) === expected ? Manifest.parse(text) : Option.none()))
  )

/** None if it is gone or can't be read. */
export const manifestOf = (
  lake: LakeService,
  run: string
): Effect.Effect<Option.Option<Manifest.Manifest>, LakeError> =>
  Effect.map(
    lake.readText(Manifest.manifestPath(run)),
    Option.flatMap(({ text }) => Manifest.parse(text))
  )

/** Writes the manifest and moves the pointer to it: from here on readers see this export. */
export const move = Effect.fnUntraced(function* (lake: LakeService, to: Manifest.Manifest, { version: from }: Found) {
  const text = Manifest.stringify(to)
  const manifest = Manifest.manifestPath(to.run)
  yield* lake.putText(manifest, text)
  const pointer = Manifest.stringify({ run: to.run, manifest, sha256: sha256(text) })
  yield* lake.replaceText(Manifest.pointerPath, pointer, from).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "Overtaken",
      () => Effect.flatMap(read(lake), (shown) => overtaken(lake, to.run, shown))
    )
  )
})

const overtaken = ({ name }: LakeService, run: string, { manifest, pointer }: LakePointer) => {
  const at = Option.match(manifest, { onNone: () => null, onSome: ({ asOf }) => asOf.at })
  if (Option.isNone(pointer)) {
    const removed = `${Manifest.pointerPath} of ${name} was removed or damaged by another program meanwhile.`
    return new Overtaken({ message: `Export ${run} isn't shown: ${removed} The next export makes a new one.`, at })
  }
  const message = [
    `Export ${run} was overtaken by run ${pointer.value.run}${at === null ? "" : `, as of ${at}`}, which readers of ${name}`,
    "see now. Another process exports to the same lake: another worker, or an older one that was still uploading."
  ]
  return new Overtaken({ message: message.join(" "), at })
}

/** Why there is no pointer, and what to do. `isThere`: there is a file, but it isn't a pointer. */
export const noPointer = ({ name }: LakeService, isThere: boolean): string =>
  `${Manifest.pointerPath} on ${name} ${isThere ? "is not a pointer" : "is missing"}, so readers find no export: ` +
  "`siteledger export` makes a new export and writes it."
