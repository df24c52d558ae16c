/**
 * Backfill: the service's lists, and single records of them.
 *
 *   service ──pages──► Construction ──► Walk ──► Warehouse
 *                      paced, retried   rows first, then the page's checkpoint; new fields become columns (Learning)
 *
 *   service ──record──► Construction ──► LookingUp ──┬─► Warehouse
 *                       ahead of walks   events, holds └─► Ledger
 *
 * Pass after pass; each says how sure it is. A gap in the receiver's uptime that no retry can heal starts a pass at
 * once, over the lists that show what the missed events would have said. Records that events mention, and IPCs whose
 * payments wait, are read individually where a person has enabled it.
 */
import { Effect, Layer } from "effect"
import { retrySchedule } from "../connectors/construction/ConstructionWebhooks.ts"
import * as Construction from "../connectors/construction/Construction.ts"
import { Uptime } from "../src/Intake/Uptime.ts"
import { LookingUp } from "../src/Operate/LookingUp.ts"
import { Learning } from "../src/Walk/Learning.ts"
import { Walk } from "../src/Walk/Walk.ts"
import type { Warehouse } from "../src/Stores/Warehouse.ts"
import { cameLate } from "../src/Stores/Evidence.ts"

const walkTheGap = Effect.flatMap(Walk, (walk) => walk.now("gap"))

const walking = Walk.layer.pipe(Layer.provide(Learning.walking), Layer.provideMerge(Learning.layer))

export const backfill = Uptime.layerWith<Walk | Warehouse>({
  offsets: retrySchedule,
  onLost: walkTheGap,
  cameLate
}).pipe(Layer.provideMerge(LookingUp.layer), Layer.provideMerge(walking), Layer.provideMerge(Construction.layer))
