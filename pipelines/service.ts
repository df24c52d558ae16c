/**
 * The way to the service: every request passes here, and only here.
 *
 *   ConstructionClient ──► Token (refreshed early, one at a time) ──► Pace (the plan's rate, by lanes) ──► HTTP
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Layer } from "effect"
import { Token } from "../connectors/construction/ConstructionAuth.ts"
import { ConstructionClient } from "../connectors/construction/ConstructionClient.ts"
import { Pace } from "../src/Walk/Pace.ts"
import { Seal } from "../src/Runtime/Seal.ts"

export const service = ConstructionClient.layer.pipe(
  Layer.provideMerge(Token.layer),
  Layer.provideMerge(Pace.layer),
  // A person's login is kept sealed.
  Layer.provideMerge(Seal.layer),
  Layer.provideMerge(NodeHttpClient.layerUndici)
)
