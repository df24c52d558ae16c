/**
 * Backup follows the Store to a place off the machine: a bucket, or a folder of another machine. It is at most a minute
 * behind, and says when it isn't.
 *
 *   log of rows ─┐
 *                ├─► chunks, compressed, encrypted ──► vault ──► tip, moved last: everything up to it is there
 *   inbox ───────┘
 *
 * It reads itself back once a day (`Backup/Verify`) and removes what it no longer needs (`Backup/Prune`). `siteledger
 * restore` rebuilds a Store from it with nothing but the backup's key (`Backup/Restore`).
 */
import { randomUUID } from "node:crypto"
import { Clock, Context, Duration, Effect, Layer, Option, Schema, Semaphore } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { readMeta, Store, StoreError, writeMeta } from "../Stores/Store.ts"
import type { BackupStatus } from "./AdminApi/StatusReport.ts"
import * as Follow from "./Backup/Follow.ts"
import * as Lag from "./Backup/Lag.ts"
import * as Lineage from "./Backup/Lineage.ts"
import * as Vault from "./Backup/Vault.ts"
import { prune } from "./Backup/Prune.ts"
import { BackupError } from "./Backup/Tip.ts"
import * as Verify from "./Backup/Verify.ts"

const every = Duration.seconds(20)
const pruneEvery = Duration.hours(1)
const verifyEvery = Duration.days(1)
/** Every chunk is read back within a week. */
const days = 7

const Checked = Schema.Struct({ at: Schema.String, rows: Schema.Int, inbox: Schema.Int, turn: Schema.Int })
type Checked = typeof Checked.Type
const toChecked = Schema.decodeUnknownOption(Schema.fromJsonString(Checked))
const checkedKey = "backup_checked"
const never: Checked = { at: Instant.fromMillis(0), rows: 0, inbox: 0, turn: 0 }

export class Backup extends Context.Service<
  Backup,
  {
    /** Null if none is configured. */
    readonly status: Effect.Effect<BackupStatus | null>
    /** Reads all of it back, and rewrites what was damaged. */
    readonly verify: Effect.Effect<Verify.Verified, { readonly message: string }>
  }
>()("siteledger/Backup") {
  /** Follows the Store. */
  static readonly layerWith = (given: Option.Option<Vault.Given>): Layer.Layer<Backup, StoreError, Store | Reasons> =>
    Layer.effect(
      Backup,
      Option.match(given, {
        onNone: () => Effect.succeed(none),
        onSome: (vault) => Effect.flatMap(followerAt(vault), following)
      })
    )

  /** For a verb without a worker. */
  static readonly layerAlone = (given: Option.Option<Vault.Given>): Layer.Layer<Backup, StoreError, Store> =>
    Layer.effect(
      Backup,
      Option.match(given, {
        onNone: () => Effect.succeed(none),
        onSome: (vault) =>
          Effect.map(followerAt(vault), (follower) =>
            Backup.of({ status: Effect.succeed(null), verify: wholly(follower) })
          )
      })
    )
}

const notSet = new BackupError({ reason: "Refused", message: "There is no backup: SITELEDGER_BACKUP isn't set." })

const none = Backup.of({ status: Effect.succeed(null), verify: Effect.fail(notSet) })

const notHere = new StoreError({
  reason: "Unusable",
  message:
    "SITELEDGER_BACKUP can't be used with PostgreSQL: back the database up with the server's own tools " +
    "(docs/postgres.md), and leave it out."
})

const followerAt = Effect.fnUntraced(function* (given: Vault.Given) {
  const store = yield* Store
  const { following } = store
  if (following === undefined) return yield* notHere
  const vault = yield* Effect.mapError(
    Vault.open(given),
    ({ message }) => new StoreError({ reason: "Failed", message })
  )
  const tidying = yield* Semaphore.make(1)
  return { vault, store, following, writer: randomUUID(), tidying } satisfies Follow.Follower
})

const verified = ({ following, vault, tidying }: Follow.Follower, isDue: Verify.IsDue) =>
  tidying.withPermits(1)(Verify.verify(vault, following, isDue))

const wholly = (follower: Follow.Follower) => verified(follower, () => true)

const following = Effect.fnUntraced(function* (follower: Follow.Follower) {
  const reasons = yield* Reasons
  const lag = yield* Lag.make(follower.vault.lake.name)
  const told = Effect.fnUntraced(function* (found: Verify.Verified) {
    if (found.faults.length === 0) yield* reasons.clear("backup damaged")
    else yield* reasons.set("backup damaged", `${Verify.sentence(found)} They were written again.`, "critical")
    yield* noteChecked(follower, found)
    return found
  })
  yield* Effect.forkScoped(led("the backup", always(follower, lag)))
  yield* Effect.forkScoped(led("the backup's age", Lag.watch(lag)))
  yield* Effect.forkScoped(led("reading the backup back", daily(follower, lag, told)))
  return Backup.of({
    status: Effect.flatMap(checkedOf(follower), ({ at }) => Lag.status(lag, at === never.at ? null : at)),
    verify: Effect.flatMap(wholly(follower), told)
  })
})

/** Runs until it fails, or until the Store has other logs; then it begins with a look at the vault. */
const always = (follower: Follow.Follower, lag: Lag.Lag) =>
  Effect.gen(function* () {
    const { following, vault, store } = follower
    const lineage = yield* Lineage.begin(vault, store, following)
    let prunedMs = 0
    while (true) {
      const atMs = yield* Follow.turn(follower, lineage)
      if (atMs === undefined) return
      yield* Lag.reached(lag, atMs, lineage.chunks.length)
      if (lineage.tip !== undefined && atMs - prunedMs >= Duration.toMillis(pruneEvery)) {
        yield* follower.tidying.withPermits(1)(prune(vault, lineage.tip))
        prunedMs = atMs
      }
      yield* Effect.sleep(every)
    }
  }).pipe(Effect.catch((error) => Effect.andThen(Lag.failed(lag, error), Effect.sleep(every))))

const checkedOf = ({ store }: Follow.Follower) =>
  store
    .run((db) => readMeta(db, checkedKey))
    .pipe(
      Effect.map((text) => Option.getOrElse(toChecked(text), () => never)),
      Effect.orElseSucceed(() => never)
    )

const noteChecked = Effect.fnUntraced(function* (follower: Follow.Follower, { through }: Verify.Verified) {
  const { turn } = yield* checkedOf(follower)
  const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const checked: Checked = { at, ...through, turn: turn + 1 }
  yield* follower.store.transaction((tx) => writeMeta(tx, checkedKey, JSON.stringify(checked)))
})

/** Checks what is new since the last time, and a seventh of the rest. */
const daily = <E>(
  follower: Follow.Follower,
  lag: Lag.Lag,
  told: (found: Verify.Verified) => Effect.Effect<unknown, E>
) =>
  Effect.gen(function* () {
    const checked = yield* checkedOf(follower)
    const sinceMs = (yield* Clock.currentTimeMillis) - Instant.toMicros(checked.at) / 1000
    if (!(yield* Lag.isWhole(lag)) || Math.abs(sinceMs) < Duration.toMillis(verifyEvery)) return
    const isDue: Verify.IsDue = (chunk, place) =>
      chunk.last > checked[chunk.log] || place % days === checked.turn % days
    yield* told(yield* verified(follower, isDue))
  }).pipe(
    Effect.catch((error) => Effect.logDebug("The backup can't be read back now", error)),
    Effect.andThen(Effect.sleep("1 minute"))
  )
