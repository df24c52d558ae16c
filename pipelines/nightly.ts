/**
 * Nightly: exports and the analysts' copy; and an audit of the books.
 *
 *   Warehouse ──one snapshot──► Export ──► Lake (Parquet, manifest, pointer; then Delta logs): a folder | S3
 *             └───────────────► AnalystCopy ─► analytics.duckdb (all or nothing)
 */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { Inbox } from "../src/Intake/Inbox.ts"
import * as Archiving from "../src/Lake/Archiving.ts"
import * as DeliveriesCopy from "../src/Lake/DeliveriesCopy.ts"
import { Export } from "../src/Lake/Export.ts"
import * as Folder from "../src/Lake/Folder.ts"
import * as S3 from "../src/Lake/S3.ts"
import * as Nightly from "../src/Lake/Nightly.ts"
import { AnalystCopy, type AnalystCopyOptions } from "../src/Lake/AnalystCopy.ts"
import * as Audit from "../src/Operate/Audit/Nightly.ts"
import { WeeklyCheck } from "../src/Operate/WeeklyCheck.ts"
import { Walk } from "../src/Walk/Walk.ts"

export const lake = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    settings.lake.kind === "s3"
      ? S3.layerAt(settings.lake, { ...S3.patient, answerBytes: settings.lakeAnswerMaxBytes })
      : Folder.layerAt(settings.lake.path)
  )
)

const publish = <R>(when: Omit<AnalystCopyOptions<R>, "path">) =>
  Layer.unwrap(Effect.map(Settings, ({ dataDir }) => AnalystCopy.layerWith({ path: publishedPath(dataDir), ...when })))

export const publishedPath = (dataDir: string): string => join(dataDir, "analytics.duckdb")

const exports = Layer.unwrap(Effect.map(Settings, (settings) => Export.layerWith(settings)))

const cron = Layer.unwrap(Effect.map(Settings, ({ exportCron }) => Nightly.layerWith(exportCron)))

const archiving = Layer.unwrap(Effect.map(Settings, ({ archiveAfter }) => Archiving.layerWith(archiveAfter)))

/** True once every list has finished a pass and no stored event waits. A half-filled copy never replaces a good one. */
const isLive = Effect.zipWith(
  Effect.flatMap(Walk, (walk) => walk.isThrough),
  Effect.flatMap(Inbox, (inbox) => inbox.isDrained),
  (isThrough, isDrained) => isThrough && isDrained
)

/** On demand, without a worker. */
export const exporting = exports.pipe(
  Layer.provideMerge(publish({ isLive: Effect.succeed(false), isShown: Effect.succeed(true) })),
  Layer.provideMerge(lake)
)

const audit = Layer.unwrap(Effect.map(Settings, ({ exportCron }) => Audit.layerWith(exportCron)))

export const nightly = Layer.mergeAll(cron, DeliveriesCopy.layer, archiving, audit, WeeklyCheck.layer).pipe(
  Layer.provideMerge(exports),
  Layer.provideMerge(publish({ isLive })),
  Layer.provideMerge(lake)
)
