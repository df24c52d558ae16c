/**
 * What an erasure needs from the engine that holds a Store. The order of the steps is the same for each engine
 * (`Erase`); how a row or a body is changed, and who must not work meanwhile, is up to the engine.
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

/** The number of rows by table. */
export type Counts = Readonly<Record<string, number>>

export interface RowsFound {
  readonly changed: Counts
  /** What stays: the books, ids, and places where a delivery says what it is about. */
  readonly kept: Counts
}

/** What would go, and what would stay. */
export interface Looked extends RowsFound {
  readonly deliveries: number
}

/** What is removed, and what determines where it stays: without that, a body or an answer could no longer be read. */
export interface Without {
  readonly redact: Erasure.Redactor
  readonly reads: Erasure.Reads
}

/** A tombstone without its number. */
export type Note = Omit<Tombstone, "number">

/** One result for each that was asked for, from a single pass. */
export interface LookedInto {
  readonly found: ReadonlyArray<Looked>
  /** Files that can't be searched. */
  readonly unopened: ReadonlyArray<string>
}

type Step<A = void, R = never> = Effect.Effect<A, EraseError | StoreError, R>

/** A store that nothing else uses. */
export interface Engine {
  /** Opened by the Store's own rules, so that its tables are current. */
  readonly tombstones: Step<ReadonlyArray<Tombstone>>
  /** How deliveries have been read since the books began. */
  readonly namings: Step<ReadonlyArray<Naming>>
  /** Nothing is changed. */
  readonly look: (seeks: ReadonlyArray<Seek>, reads: Erasure.Reads) => Step<LookedInto, Lake>
  /** Files and tables that aren't searched. */
  readonly setAside: Step<ReadonlyArray<string>>
  /** Fails if what was found can't be erased from here; then nothing has been changed. */
  readonly ready: (found: RowsFound) => Step
  /** No worker starts from then on. */
  readonly note: (of: (before: ReadonlyArray<Tombstone>) => Note) => Step
  /** Bodies, headers and rows; can be repeated. `erasure`: the first of those that are done together. */
  readonly rid: (without: Without, erasure: number) => Step
  /** Archives of deliveries, here and on the lake; can be repeated. */
  readonly archives: (without: Without, erasure: number) => Step<void, Lake>
  /** Removes files beside it that can be rebuilt. */
  readonly discard: Step
  /** Rewrites the engine's own files, so that they contain nothing that was changed or removed. */
  readonly writeAgain: Step
  /** It is gone from everything. */
  readonly link: Step
}

export type Open = Effect.Effect<Engine, EraseError | StoreError, Scope.Scope>

export const begun = "Not everything is erased yet; run `siteledger erase --resume`"

export const attempt = <A>(what: string, use: () => A): Effect.Effect<A, EraseError> =>
  Effect.try({ try: use, catch: (cause) => new EraseError({ message: `${what}: ${whyNot(cause)}.` }) })
