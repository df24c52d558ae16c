/**
 * Reads everything that the stores hold once a week, piece by piece beside other work, so that damage is found while a
 * copy can still repair it: the store, the inbox with its copies, the warehouse, both copies of each archive, the copy
 * for analysts, the exports. Each is repaired or rebuilt at once, except older exports, which are reported to a person.
 *
 * The Store remembers the progress: a restart continues from there.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { AnalystCopy } from "../Lake/AnalystCopy.ts"
import * as ArchiveCopies from "../Lake/ArchiveCopies.ts"
import type { Export } from "../Lake/Export.ts"
import { type Lake, LakeError } from "../Lake/Lake.ts"
import { led } from "../Runtime/Leadership.ts"
import type { Reasons } from "../Runtime/Reasons.ts"
import { Restart } from "../Runtime/Restart.ts"
import type { Piece } from "../Stores/Piece.ts"
import { readMeta, Store, type StoreError, writeMeta } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import * as Exports from "./WeeklyCheck/Exports.ts"

/** `at`: when the last pass ended. */
const Progress = Schema.Struct({ done: Schema.Int, of: Schema.Int, at: Schema.NullOr(Schema.String) })
export type Progress = typeof Progress.Type

const toProgress = Schema.decodeUnknownOption(Schema.fromJsonString(Progress))
const none: Progress = { done: 0, of: 0, at: null }
const metaKey = "weekly_check"

export class WeeklyCheck extends Context.Service<
  WeeklyCheck,
  { readonly status: Effect.Effect<Progress, StoreError> }
>()("siteledger/WeeklyCheck") {
  static readonly layer: Layer.Layer<WeeklyCheck, never, AnalystCopy | Export | Lake | Reasons | Store | Warehouse> =
    Layer.effect(
      WeeklyCheck,
      Effect.gen(function* () {
        const store = yield* Store
        const turn = next.pipe(Effect.catch((error) => Effect.logDebug("Nothing can be checked now", error)))
        // At startup there is more urgent work.
        yield* Effect.forkScoped(Effect.delay(led("the weekly check", Effect.andThen(turn, pause)), "1 minute"))
        return WeeklyCheck.of({ status: progressIn(store) })
      })
    )
}

const progressIn = (store: Store["Service"]) =>
  Effect.map(
    store.run((db) => readMeta(db, metaKey)),
    (text) => Option.getOrElse(toProgress(text), () => none)
  )

interface Fault {
  readonly message: string
  readonly reason?: string
}

const week = Duration.weeks(1)

/** A pass takes a week, however many pieces there are; but a single piece may take its time. */
const pause = Effect.gen(function* () {
  const { of } = yield* progressIn(yield* Store)
  yield* Effect.sleep(Duration.max(Duration.divideUnsafe(week, Math.max(of, 1)), Duration.seconds(1)))
}).pipe(Effect.orElseSucceed(() => undefined))

const next = Effect.gen(function* () {
  const store = yield* Store
  const pieces = yield* all
  const { at, done } = yield* progressIn(store)
  const piece = pieces[done]
  if (piece !== undefined) yield* check(piece)
  const isLast = done + 1 >= pieces.length
  const now = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const progress: Progress = { done: isLast ? 0 : done + 1, of: pieces.length, at: isLast ? now : at }
  yield* store.transaction((tx) => writeMeta(tx, metaKey, JSON.stringify(progress)))
})

/** What can't be reached is read in the next pass: it must not delay the others. */
const check = ({ check: run, name }: Piece<Fault>) =>
  run.pipe(
    Effect.catch((error) =>
      error instanceof LakeError
        ? LogLine.write("check.unread", { part: name, why: error.message })
        : damaged(name, error)
    )
  )

/** Some damage requires reopening the file. */
const damaged = Effect.fnUntraced(function* (name: string, error: Fault) {
  yield* LogLine.write("check.damaged", { part: name, why: error.message })
  const restart = yield* Effect.serviceOption(Restart)
  if (error.reason === "Fatal" && Option.isSome(restart))
    yield* restart.value.request(`${name} is damaged and has to be opened again`)
})

const all = Effect.gen(function* () {
  const store = yield* Store
  const warehouse = yield* Warehouse
  return [
    ...(yield* store.pieces),
    ...(yield* warehouse.pieces),
    ...(yield* ArchiveCopies.pieces),
    { name: "the copy for analysts", check: (yield* AnalystCopy).check },
    yield* Exports.newest,
    yield* Exports.older
  ] satisfies ReadonlyArray<Piece<Fault>>
})
