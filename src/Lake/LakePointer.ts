/**
 * What the pointer of a Lake shows: the pointer as it was read, which only whoever has seen it may replace, and the
 * manifest that it names, if that is there and is what the pointer's hash says.
 */
import { Effect, Option } from "effect"
import type { Lake, LakeError } from "./Lake.ts"
import { sha256 } from "./LocalFiles.ts"
import * as Manifest from "./Manifest.ts"

export interface LakePointer {
  /** Of the pointer; none: there is no pointer. */
  readonly version: Option.Option<string>
  /** None: there is none, or it is no pointer. */
  readonly pointer: Option.Option<Manifest.Pointer>
  /** None: it is missing, is another one, or is no manifest. */
  readonly manifest: Option.Option<Manifest.Manifest>
}

export const read: (lake: Lake["Service"]) => Effect.Effect<LakePointer, LakeError> = Effect.fn("LakePointer.read")(
  function* (lake) {
    const found = yield* lake.readText(Manifest.pointerPath)
    const pointer = Option.flatMap(found, ({ text }) => Manifest.parsePointer(text))
    return {
      version: Option.map(found, ({ version }) => version),
      pointer,
      manifest: Option.isNone(pointer) ? Option.none() : yield* named(lake, pointer.value)
    }
  }
)

/** Why there is no pointer, and what to do; `isThere`: what lies at its path is none. */
export const noPointer = ({ name }: Lake["Service"], isThere: boolean): string =>
  `${Manifest.pointerPath} on ${name} ${isThere ? "is not a pointer" : "is missing"}, so readers find no export: ` +
  "`siteledger export` lays a new one and writes it."

const named = (lake: Lake["Service"], { manifest, sha256: expected }: Manifest.Pointer) =>
  Effect.map(
    lake.readText(manifest),
    Option.flatMap(({ text }) => (sha256(text) === expected ? Manifest.parse(text) : Option.none()))
  )
