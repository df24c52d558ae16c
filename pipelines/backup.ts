/**
 * Backup: a continuous copy of the Store off the machine.
 *
 *   log of rows ─┐
 *                ├──► Backup ──parts, encrypted──► another machine's folder | S3
 *   inbox ───────┘    a minute                     the tip last
 *                     behind at most
 *
 * Everything up to the tip is complete: `siteledger restore` rebuilds the Store from it, with nothing but the backup's
 * key.
 */
import { Effect, Layer, Option } from "effect"
import { Settings } from "../config/Settings.ts"
import { Backup } from "../src/Operate/Backup.ts"
import { store } from "./stores.ts"

const given = Effect.map(Settings, ({ backup, backupKey }) => Option.all({ address: backup, key: backupKey }))

export const backup = Layer.unwrap(Effect.map(given, Backup.layerWith))

/** For a verb without a worker. */
export const backupAlone = Layer.unwrap(Effect.map(given, Backup.layerAlone)).pipe(Layer.provideMerge(store))
