/**
 * Erases a value, such as a person's name, or a record from everything that a Store and its lake hold. No worker may
 * run.
 *
 * The erasure is first noted in the Store, by a salted hash; from then on no worker starts. Then the value or record is
 * removed from everything, and the note gets its link. Every step can be repeated: if the process dies in between, the
 * same verb finishes the erasure, for which it needs only the note.
 *
 *   bodies, headers, rows, and the files that hold them   by the engine (`Erase/Engine`)
 *   archives   rewritten, with their copies on the lake
 *   log of rows          begun again by the next start
 *   warehouse, analysts' copy, exports   removed: the next start rebuilds them from what is left
 *
 * On a server, the warehouse's rows are changed like others.
 */
import { randomBytes } from "node:crypto"
import { Clock, Effect } from "effect"
import type { Naming } from "../Domain/Event.ts"
import * as Erasure from "../Domain/Erasure.ts"
import * as Instant from "../Domain/Instant.ts"
import { Lake } from "../Lake/Lake.ts"
import * as Runs from "../Lake/Runs.ts"
import * as TemporaryFolder from "../Runtime/TemporaryFolder.ts"
import * as Erasures from "../Stores/Erasures.ts"
import { begun, type Counts, type Engine, EraseError, type Looked, type Open } from "./Erase/Engine.ts"
import * as Exports from "./Erase/Exports.ts"
import { anywhere, seeksOf } from "./Erase/Seek.ts"

export { type Engine, EraseError, type Open }

export interface Place {
  /** `before`: how deliveries have been read since the books began; the books rest on these readings. */
  readonly reads: (before: ReadonlyArray<Naming>) => Erasure.Reads
  readonly open: Open
}

export interface Found extends Looked {
  /** Deliveries and rows that contain it within longer texts, where it stays unless that is asked for. */
  readonly insideLonger: number
  /** Exports that will be removed, and until when each was to stay. */
  readonly exports: ReadonlyArray<Pick<Runs.Run, "run" | "safeUntil">>
  /** Files that aren't searched. */
  readonly setAside: ReadonlyArray<string>
}

export interface Given<E, R> {
  readonly by: string
  readonly reason: string
  /** Whether exports may be removed before the time until which they were to stay. */
  readonly removesExports: boolean
  /** Shows what was found. */
  readonly shown: (found: Found) => Effect.Effect<void, E, R>
  /** Fails unless a person agrees to it. */
  readonly agreed: Effect.Effect<void, E, R>
}

const asBytes = 32

/** The same for a whole Store, so that a text need be hashed only once. */
const saltOf = (all: ReadonlyArray<Erasures.Tombstone>): string => all[0]?.salt ?? randomBytes(asBytes).toString("hex")

const exported = Effect.flatMap(Runs.list, ({ runs }) =>
  Effect.succeed(runs.map(({ run, safeUntil }) => ({ run, safeUntil })))
)

const noneSo = new EraseError({
  message: "An erasure was begun and isn't finished: run `siteledger erase --resume` first."
})

/** What would be erased, and what would remain; nothing is changed. */
export const look = (place: Place, asked: Erasure.Asked) =>
  Effect.scoped(Effect.flatMap(place.open, (engine) => lookInto(engine, place, asked)))

const nothingFound: Looked = { deliveries: 0, changed: {}, kept: {} }

const lookInto = Effect.fn("Erase.look")(function* (engine: Engine, place: Place, asked: Erasure.Asked) {
  const all = yield* engine.tombstones
  if (!all.every(Erasures.isThrough)) return yield* noneSo
  const { found, unopened } = yield* engine.look(seeksOf(asked), place.reads(yield* engine.namings))
  const [first = nothingFound, more] = found
  const looked: Found = {
    ...first,
    insideLonger: more === undefined ? 0 : more.deliveries + sumOf(more.changed),
    exports: yield* exported,
    setAside: [...(yield* engine.setAside), ...unopened, ...(yield* Effect.flatMap(Lake, Exports.strangers))]
  }
  return looked
})

const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** An id stays anyway, and may be a number that stands for much else. */
const names = (asked: Erasure.Asked, texts: ReadonlyArray<string>): boolean => {
  if (Erasure.isRecord(asked)) return false
  const { text: redact } = anywhere(asked.value)
  return texts.some((text) => redact(text, null) !== text)
}

const named = new EraseError({
  message: "The given reason or name contains the value to erase, and both are kept. Nothing was erased."
})

const notAgreed = (count: number) =>
  new EraseError({
    message:
      `The lake has ${count === 1 ? "an export" : `${count} exports`}, each of which may hold it: give --remove-exports ` +
      "to remove them, or wait until they are gone. Nothing was erased."
  })

/** Once a person has agreed to what was found, notes what is asked for, then erases it. */
export const erase = Effect.fn("Erase.erase")(function* <E, R>(place: Place, asked: Erasure.Asked, given: Given<E, R>) {
  if (names(asked, [given.by, given.reason])) return yield* named
  const engine = yield* place.open
  const found = yield* lookInto(engine, place, asked)
  yield* given.shown(found)
  if (found.exports.length > 0 && !given.removesExports) return yield* notAgreed(found.exports.length)
  yield* engine.ready(found)
  yield* given.agreed
  const now = yield* Clock.currentTimeMillis
  yield* engine.note((before) => {
    const rule = Erasures.rowOf(Erasure.erased(asked, saltOf(before)))
    return { asked_at: Instant.fromMillis(now), asked_by: given.by, reason: given.reason, ...rule, chain: null }
  })
  yield* finish(engine, place, asked)
  return found
}, Effect.scoped)

const nothing = new EraseError({ message: "No erasure is unfinished: there is nothing to resume." })

/** Finishes an erasure that was begun. */
export const resume = Effect.fn("Erase.resume")(function* (place: Place) {
  const engine = yield* place.open
  const all = yield* engine.tombstones
  if (all.every(Erasures.isThrough)) return yield* nothing
  yield* finish(engine, place)
}, Effect.scoped)

/** `asked`: what the last tombstone is about, if that is still known. */
const finish = Effect.fn("Erase.finish")(function* (engine: Engine, place: Place, asked?: Erasure.Asked) {
  const all = (yield* engine.tombstones).filter((row) => !Erasures.isThrough(row))
  const hashed = () => Erasure.redactor(all.map(Erasures.ruleOf)) ?? Erasure.nothing
  const redact = asked === undefined ? hashed() : Erasure.redactorOf(asked)
  const without = { redact, reads: place.reads(yield* engine.namings) }
  const first = Number(all[0]?.number)
  yield* engine.rid(without, first)
  yield* engine.discard
  yield* Effect.promise(() => TemporaryFolder.sweep().catch(() => undefined))
  yield* Effect.mapError(
    Effect.flatMap(Lake, Exports.remove),
    ({ message }) => new EraseError({ message: `${begun}. The lake: ${message}` })
  )
  yield* engine.archives(without, first)
  yield* engine.writeAgain
  yield* engine.link
})
