/**
 * Keeps a copy of all deliveries in the warehouse, a second behind, and restores from it what the inbox's own files
 * have lost: before the receiver listens, so that no number is given to two deliveries, and whenever damage is found.
 *
 * Only what this worker wrote is restored: each delivery carries an HMAC under the data directory's key. A restored
 * delivery is applied again, which changes nothing if it was applied before. If the process dies in between, chunks are
 * copied again, and the next start restores what is still missing.
 */
import { Effect, Layer, Option } from "effect"
import * as Beat from "../Runtime/Beat.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { supervised } from "../Runtime/Supervisor.ts"
import type { Lost } from "../Stores/Deliveries.ts"
import { type Deliveries, Store, type StoreError } from "../Stores/Store.ts"
import { type Mirror, Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import { Apply } from "./Apply.ts"
import * as Damage from "./Damage.ts"
import * as LogLine from "../Runtime/LogLine.ts"

export type Copying = NonNullable<Deliveries["copying"]>

const unlessItFails = <R>(what: string, effect: Effect.Effect<void, StoreError | WarehouseError, R>) =>
  effect.pipe(Effect.catch((error) => Effect.logDebug(`${what}: ${error.message}`)))

export const layer: Layer.Layer<never, never, Apply | Reasons | Store | Warehouse> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { deliveries } = yield* Store
    const { copying } = deliveries
    if (copying === undefined) return
    const healing = unlessItFails("Lost deliveries can't be taken back now", heal(copying))
    const keeping = unlessItFails("Deliveries can't be copied now", yield* keeper(copying))
    yield* healing
    yield* Effect.addFinalizer(() => keeping)
    let tried = yield* lostText
    const turn = Effect.gen(function* () {
      yield* Beat.next("1 second")
      yield* keeping
      const lost = yield* lostText
      if (lost === tried) return
      tried = lost
      yield* healing
    })
    yield* Effect.forkScoped(supervised("copying deliveries to the warehouse", Effect.forever(turn)))
  })
)

/** What is lost now, as text to compare. */
const lostText = Effect.flatMap(Store, ({ deliveries }) => deliveries.damage).pipe(
  Effect.map(({ lost }) => JSON.stringify(lost)),
  Effect.orElseSucceed(() => "unknown")
)

/** Asks how far the warehouse's copy reaches only if deliveries have come since, because this runs every second. */
const keeper = (copying: Copying) =>
  Effect.sync(() => {
    let copied: { readonly mirror: Mirror<WarehouseError>; readonly through: number } | undefined
    return Effect.gen(function* () {
      const { deliveries } = yield* Store
      const live = Option.getOrUndefined(yield* (yield* Warehouse).mirrors.live)
      if (live === undefined) return
      const last = yield* deliveries.last
      if (copied?.mirror === live && copied.through === last) return
      copied = { mirror: live, through: yield* copyTo(live, copying) }
    })
  })

/** Copies the deliveries that a copy lacks. Returns the number up to which the copy then has all of them. */
export const copyTo = Effect.fnUntraced(function* <E>(mirror: Mirror<E>, copying: Copying) {
  const { deliveries } = yield* Store
  const inbox = yield* copying.id
  const last = yield* deliveries.last
  let through = yield* mirror.through(inbox)
  while (through < last) {
    const chunk = yield* copying.after(through)
    if (chunk === undefined) break
    yield* mirror.add(inbox, chunk)
    through = chunk.last
  }
  return through
})

const heal = (copying: Copying) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { mirrors } = yield* Warehouse
      const live = yield* mirrors.live
      for (const mirror of [...Option.toArray(live), ...(yield* mirrors.aside)]) yield* takeBackFrom(mirror, copying)
    })
  )

/** Restores what is lost, and what comes after the last delivery. */
export const takeBackFrom = Effect.fnUntraced(function* <E>(mirror: Mirror<E>, copying: Copying) {
  const { deliveries } = yield* Store
  const { lost } = yield* deliveries.damage
  const newer = { from: (yield* deliveries.last) + 1, through: Infinity }
  const sequences: Array<number> = []
  let [added, foreign] = [0, 0]
  for (const span of [...lost, newer]) {
    for (const took of yield* takeBack(mirror, copying, span)) {
      sequences.push(...took.sequences)
      added += took.added
      foreign += took.isForeign ? 1 : 0
    }
  }
  if (foreign > 0) yield* refuse(mirror, foreign)
  const count = sequences.length + added
  if (count === 0) return
  yield* LogLine.write("deliveries.restored", { deliveries: count, copy: mirror.name })
  const apply = yield* Apply
  yield* apply.again(sequences.toSorted((a, b) => a - b))
  yield* Damage.tell
})

const takeBack = Effect.fnUntraced(function* <E>(
  mirror: Mirror<E>,
  copying: Copying,
  { from, through }: Pick<Lost, "from" | "through">
) {
  const inbox = yield* copying.id
  const all = []
  for (let after = from - 1; after < through;) {
    const chunk = yield* mirror.after(inbox, after)
    if (chunk === undefined || chunk.first > through) break
    all.push(yield* copying.takeBack(chunk))
    after = Math.max(after + 1, chunk.last)
  }
  return all
})

const refuse = ({ name }: { readonly name: string }, chunks: number) =>
  Effect.flatMap(Reasons, ({ set }) =>
    set(
      "foreign deliveries",
      `${chunks === 1 ? "A part" : `${chunks} parts`} of the deliveries kept in ${name} can't be taken back: ` +
        "this worker didn't write them as they are. Find out who can write there."
    )
  )
