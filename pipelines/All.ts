/**
 * The worker: all pipelines over the same stores, and what reports on them.
 *
 *   service ─┬─► live ─────┬─► stores ─┬─► nightly ─┬─► Status ─► Admin (health, status, metrics, verbs) · Alert
 *            └─► backfill ─┘           └─► ledger ──┘
 *
 * Of several workers on one PostgreSQL database all run `live`; the leader runs the rest (src/Runtime/Leadership.ts).
 */
import { Effect, Layer } from "effect"
import { moneyTypes } from "../connectors/construction/ConstructionEvents.ts"
import * as ConstructionErasing from "../connectors/construction/ConstructionErasing.ts"
import * as ConstructionIdentity from "../connectors/construction/ConstructionIdentity.ts"
import { SwitchedOn } from "../src/Discovery/Resources.ts"
import { paidColumn } from "../src/Discovery/Review/LookUp.ts"
import * as Admin from "../src/Operate/Admin.ts"
import * as Alert from "../src/Operate/Alert.ts"
import * as Growing from "../src/Operate/Growing.ts"
import * as History from "../src/Operate/History.ts"
import { Metrics } from "../src/Operate/Metrics.ts"
import * as Silence from "../src/Operate/Silence.ts"
import { Skew } from "../src/Operate/Skew.ts"
import { Status } from "../src/Operate/Status.ts"
import * as Unheard from "../src/Operate/Unheard.ts"
import { Waiting } from "../src/Operate/Waiting.ts"
import { backfill } from "./backfill.ts"
import { backup } from "./backup.ts"
import { sending } from "./ledger.ts"
import { lists } from "./lists.ts"
import { live } from "./live.ts"
import { nightly } from "./nightly.ts"
import { service } from "./service.ts"
import { others, stores } from "./stores.ts"

const unheard = Layer.unwrap(Effect.map(SwitchedOn, (lists) => Unheard.layerFor(paidColumn(lists))))

export const worker = Admin.layer.pipe(
  Layer.provideMerge(Layer.merge(Metrics.layer, History.layer)),
  Layer.provideMerge(Status.layer),
  Layer.provideMerge(Layer.mergeAll(Alert.layer, Silence.layer, Growing.layer, unheard)),
  Layer.provideMerge(Waiting.layerFor(moneyTypes)),
  Layer.provideMerge(Layer.merge(nightly, backup)),
  Layer.provideMerge(backfill),
  Layer.provideMerge(sending),
  Layer.provideMerge(live),
  Layer.provideMerge(service),
  Layer.provideMerge(Layer.merge(Skew.layer, History.counting)),
  // Erased data never comes in again. Read only after other workers know of this one (`Erase/ServerAlone`).
  Layer.provideMerge(ConstructionErasing.layer),
  // A store of another service is refused before any request is sent or taken.
  Layer.provideMerge(ConstructionIdentity.layer),
  Layer.provideMerge(others),
  Layer.provideMerge(stores),
  Layer.provideMerge(lists)
)
