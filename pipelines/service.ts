/**
 * The way to the service: every request goes through here.
 *
 *   ConstructionClient ──► Token (refreshed early, one at a time) ──► Pace (the plan's rate, by lanes) ──► HTTP
 */
import { Layer } from "effect"
import * as StoredLogin from "../connectors/construction/ConstructionAuth/StoredLogin.ts"
import { ConstructionClient } from "../connectors/construction/ConstructionClient.ts"
import * as ConstructionHttp from "../connectors/construction/ConstructionHttp.ts"
import { Seal } from "../src/Runtime/Seal.ts"
import * as KeptSpending from "../src/Walk/KeptSpending.ts"
import { Pace } from "../src/Walk/Pace.ts"

export const service = ConstructionClient.layer.pipe(
  Layer.provideMerge(StoredLogin.layer),
  Layer.provideMerge(Pace.layer),
  // Requests of an earlier process count too.
  Layer.provide(KeptSpending.layer),
  // A person's login is kept sealed.
  Layer.provideMerge(Seal.layer),
  Layer.provideMerge(ConstructionHttp.layer)
)
