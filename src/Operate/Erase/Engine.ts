/**
 * What an erasure needs of the engine that holds a Store. The order of the steps is the same for each (`Erase`); how a row or
 * a body is changed, and who must not work meanwhile, is the engine's.
 */
import { Effect, Schema, type Scope } from "effect"
import type { Naming } from "../../Domain/Event.ts"
import type * as Erasure from "../../Domain/Erasure.ts"
import type { Lake } from "../../Lake/Lake.ts"
import { whyNot } from "../../Runtime/SystemFailure.ts"
import type { Tombstone } from "../../Stores/Erasures.ts"
import type { StoreError } from "../../Stores/Store.ts"
import type { Seek } from "./Seek.ts"

export class EraseError extends Schema.TaggedError<EraseError>()("EraseError", { message: Schema.String }) {}

/** By table: how many rows. */
export type Counts = Readonly<Record<string, number>>

export interface RowsFound {
  readonly changed: Counts
  /** What stays: the books, ids, and deliveries where it says what they are about. */
  readonly kept: Counts
}

/** What would go, and what would stay. */
export interface Looked extends RowsFound {
  readonly deliveries: number
}

/** What goes, and what says where it stays, because without it nobody could read what a body or an answer is about. */
export interface Without {
  readonly redact: Erasure.Redactor
  readonly reads: Erasure.Reads
}

/** Of a tombstone: everything but its number. */
export type Note = Omit<Tombstone, "number">

/** In one reading, for each that was asked for. */
export interface LookedInto {
  readonly found: ReadonlyArray<Looked>
  /** Files that can't be looked into. */
  readonly unopened: ReadonlyArray<string>
}

type Step<A = void, R = never> = Effect.Effect<A, EraseError | StoreError, R>

/** A store that nothing else uses. */
export interface Engine {
  /** By the Store's own rules, so that its tables are current. */
  readonly tombstones: Step<ReadonlyArray<Tombstone>>
  /** How deliveries were read since the books began. */
  readonly namings: Step<ReadonlyArray<Naming>>
  /** Nothing is changed. */
  readonly look: (seeks: ReadonlyArray<Seek>, reads: Erasure.Reads) => Step<LookedInto, Lake>
  /** Files and tables that nobody looks into. */
  readonly setAside: Step<ReadonlyArray<string>>
  /** Fails if what was found can't be erased from here: then nothing has been. */
  readonly ready: (found: RowsFound) => Step
  /** No worker starts from then on. */
  readonly note: (of: (before: ReadonlyArray<Tombstone>) => Note) => Step
  /** Bodies, headers and rows; may be done again. `erasure`: the first of those that are done together. */
  readonly rid: (without: Without, erasure: number) => Step
  /** Archives of deliveries, here and on the lake; may be done again. */
  readonly archives: (without: Without, erasure: number) => Step<void, Lake>
  /** Files beside it that can be made again. */
  readonly discard: Step
  /** The engine's own files, so that they hold nothing that was changed or removed. */
  readonly writeAgain: Step
  /** Everything is rid of it. */
  readonly link: Step
}

export type Open = Effect.Effect<Engine, EraseError | StoreError, Scope.Scope>

export const begun = "Not everything is erased yet; run `siteledger erase --resume`"

export const attempt = <A>(what: string, use: () => A): Effect.Effect<A, EraseError> =>
  Effect.try({ try: use, catch: (cause) => new EraseError({ message: `${what}: ${whyNot(cause)}.` }) })
