/**
 * Backup: the Store, off the machine, all the time.
 *
 *   log of rows ─┐
 *                ├──► Backup ──parts, encrypted──► another machine's folder | S3
 *   inbox ───────┘    a minute                     the tip last
 *                     behind at most
 *
 * What its tip names is whole: `siteledger restore` makes the Store of it, with nothing but the backup's key.
 */
import { Effect, Layer, Option } from "effect"
import { Settings } from "../config/Settings.ts"
import { Backup } from "../src/Operate/Backup.ts"
import { store } from "./stores.ts"

const given = Effect.map(Settings, ({ backup, backupKey }) => Option.all({ address: backup, key: backupKey }))

export const backup = Layer.unwrap(Effect.map(given, Backup.layerWith))

/** For a verb without a worker. */
export const backupAlone = Layer.unwrap(Effect.map(given, Backup.layerAlone)).pipe(Layer.provideMerge(store))
