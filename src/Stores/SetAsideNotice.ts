/**
 * A notice in `/status` names every file that was set aside, with its size, for as long as the file exists, so that a
 * person learns of it and can free the space.
 */
import { Effect, Layer } from "effect"
import * as Beat from "../Runtime/Beat.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { keptBeside } from "./DuckDb/SetAside.ts"
import * as RowLog from "./RowLog/Heal.ts"
import * as Segments from "./Segments/Open.ts"
import * as SetAside from "./SetAside.ts"

const key = "set aside"
const every = "5 seconds"

const sentenceOf = (kept: ReadonlyArray<SetAside.SetAside>): string => {
  const files = kept.map(({ bytes, path }) => `${path} (${Math.ceil(bytes / 1e6)} MB)`).join(", ")
  return `Files that could no longer be used were replaced; what they held is kept: ${files}. Delete it when you no longer need it.`
}

export const layerAt = ({ store, warehouse }: { readonly store: string; readonly warehouse: string }) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const reasons = yield* Reasons
      let named = ""
      const notice = Effect.suspend(() => {
        const folders = [Segments.folderOf(store), RowLog.folderOf(store)]
        const kept = [...keptBeside(warehouse), ...SetAside.keptOf(store, folders)]
        const sentence = kept.length === 0 ? "" : sentenceOf(kept)
        if (sentence === named) return Effect.void
        named = sentence
        return sentence === "" ? reasons.clear(key) : reasons.set(key, sentence, "notice")
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(notice, Beat.next(every))))
    })
  )
