/**
 * Lists: which of the service's lists are walked, and therefore which tables exist.
 *
 *   OpenAPI document ──siteledger discover──► review file ──a person switches lists on──► Construction · Warehouse
 *
 * Gives a worker the lists that are on in its review file (`SITELEDGER_RESOURCES`), and the resources that they fill.
 * If the file can't be used as it is, startup fails with one sentence for each problem.
 */
import { Context, Effect, Layer, Option } from "effect"
import * as Settings from "../config/Settings.ts"
import { LookedUp } from "../src/Stores/LookUps.ts"
import { Resources } from "../src/Stores/Resources.ts"
import { resourceOf, SwitchedOn, switchedOn } from "../src/Discovery/Resources.ts"
import { lookedUp } from "../src/Discovery/Review/LookUp.ts"
import * as ReviewFile from "../src/Discovery/ReviewFile.ts"

const missing = (path: string) =>
  new ReviewFile.ReviewFailed({
    message: `There is no file ${path} (SITELEDGER_RESOURCES): siteledger discover writes one.`
  })

const switched = Effect.gen(function* () {
  const { resources } = yield* Settings.reviewed
  if (Option.isNone(resources)) return []
  const path = resources.value
  const review = yield* ReviewFile.read(path)
  return switchedOn(yield* Effect.mapError(Effect.fromOption(review), () => missing(path)))
})

export const lists: Layer.Layer<never, Settings.SettingsError | ReviewFile.ReviewFailed> = Layer.effectContext(
  Effect.map(switched, (on) =>
    Context.make(SwitchedOn, on).pipe(Context.add(Resources, on.map(resourceOf)), Context.add(LookedUp, lookedUp(on)))
  )
)
