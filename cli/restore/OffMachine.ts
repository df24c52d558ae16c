/**
 * An off-machine backup for `siteledger restore`: fetched into a file like those of `siteledger backup`, which then
 * replaces the store. The data directory gets the backup's data key, so that the secrets among its rows can be
 * decrypted.
 */
import { existsSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect, Option, Redacted, Result } from "effect"
import { CliError } from "effect/cli"
import * as Address from "../../config/Address.ts"
import type * as Settings from "../../config/Settings.ts"
import * as Vault from "../../src/Operate/Backup/Vault.ts"
import * as Restore from "../../src/Operate/Backup/Restore.ts"
import { path as tipPath } from "../../src/Operate/Backup/Tip.ts"
import * as DataKey from "../../src/Runtime/DataKey.ts"

type Own = Pick<Settings.Settings["Service"], "backupKey" | "dataDir" | "key">

const addressOf = (name: string): Effect.Effect<Address.Lake | undefined, CliError.UserError> => {
  if (/^(s3|file):/i.test(name)) {
    const parsed = Address.lake(name)
    if (Result.isFailure(parsed)) return Effect.fail(new CliError.UserError({ cause: `${name} ${parsed.failure}` }))
    return Effect.succeed(parsed.success)
  }
  const isFolder = existsSync(join(name, tipPath))
  return Effect.succeed(isFolder ? { kind: "folder", path: resolve(name) } : undefined)
}

const noKey = new CliError.UserError({
  cause: "SITELEDGER_BACKUP_KEY isn't set: a backup off the machine is opened with the key that it was made with."
})

/** Undefined if it names a file. */
export const givenBy = Effect.fnUntraced(function* (name: string, { backupKey }: Own) {
  const address = yield* addressOf(name)
  if (address === undefined) return undefined
  return { address, key: yield* Effect.mapError(Effect.fromOption(backupKey), () => noKey) } satisfies Vault.Given
})

export const since =
  "Everything after it is missing: the next start shows that time as a gap, walks the lists, and says which deliveries to " +
  "replay in the service. A login isn't in it: run `siteledger login` if you use one."

const otherKey = new CliError.UserError({
  cause: "SITELEDGER_KEY isn't the key of the store in this backup: leave it out, and the backup's takes its place."
})

const discard = (file: string) =>
  Effect.sync(() => {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(file + suffix, { force: true })
  })

/** `take`: replaces the store with the file. */
export const fetched = Effect.fnUntraced(function* <A, E, R>(
  given: Vault.Given,
  { dataDir, key }: Own,
  file: string,
  nowMs: number,
  take: (file: string) => Effect.Effect<A, E, R>
) {
  const vault = yield* Vault.open(given)
  const tip = yield* Restore.tipAt(vault)
  if (Option.isSome(key) && Redacted.value(key.value) !== tip.dataKey) return yield* otherKey
  yield* discard(file)
  yield* Effect.addFinalizer(() => discard(file))
  const { deliveries, entries, chunks } = yield* Restore.into(vault, tip, file)
  if (Option.isNone(key)) {
    const path = join(dataDir, "key")
    yield* Effect.sync(() => DataKey.put(path, tip.dataKey, `${path}.before-restore-${nowMs}`))
  }
  const taken = yield* take(file)
  return { restored: vault.lake.name, upTo: tip.at, of: tip.host, deliveries, entries, chunks, ...taken }
}, Effect.scoped)
