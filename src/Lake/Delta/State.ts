/**
 * How far the Delta logs of a lake have come (`_delta/state.json`). Only a hint: a log that differs from it is detected
 * when the next commit is made.
 */
import { Effect, Option, Schema } from "effect"
import type { Lake, LakeError } from "../Lake.ts"
import * as Manifest from "../Manifest.ts"

const StateSchema = Schema.Struct({
  /** Every commit of the exports up to this one is in its log. */
  run: Manifest.Run,
  /** Tables to whose logs another program has committed. */
  left: Schema.Array(Manifest.Name),
  /** By table, oldest first. */
  checkpoints: Manifest.byName(Schema.Array(Schema.Struct({ version: Schema.Int, run: Manifest.Run })))
})
export type State = typeof StateSchema.Type

export const none: State = { run: "", left: [], checkpoints: {} }

export const path = "_delta/state.json"
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(StateSchema))

/** None if it is missing or can't be read. */
export const read = (lake: Lake["Service"]): Effect.Effect<Option.Option<State>, LakeError> =>
  Effect.map(
    lake.readText(path),
    Option.flatMap(({ text }) => decode(text))
  )

export const write = (lake: Lake["Service"], state: State): Effect.Effect<void, LakeError> =>
  lake.putText(path, `${JSON.stringify(state, null, 2)}\n`)
