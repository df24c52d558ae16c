/**
 * What all processes have used of the plan. Slots are stored before they are used, so a crash can only make the next
 * process slower.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { type Ask, grant, lateMs, nothingGranted, type Spent } from "./Slots.ts"

/** A slot, by the monotonic clock of the process that holds it. */
export interface Turn {
  readonly fromMs: number
  readonly untilMs: number
  /** The second in which it is counted. */
  readonly second: number
}

export interface Recent {
  /** Used by all processes. */
  readonly spent: ReadonlyArray<Spent>
  /** How far the clock of the spending is ahead of the caller's. */
  readonly aheadMs: number
}

export interface Reserved extends Recent {
  /** Oldest first; no other process holds them. */
  readonly turns: ReadonlyArray<Turn>
}

/**
 * The shared clock said `nowMs` at some moment between two times of this process's clock. Slots are used neither too
 * early nor too late, wherever that moment was. If the two times are far apart, only one of the slots is used, perhaps
 * late.
 */
export const turnsOf = (
  slots: ReadonlyArray<number>,
  nowMs: number,
  [beforeMs, afterMs]: readonly [number, number]
): ReadonlyArray<Turn> => {
  const isFar = afterMs - beforeMs >= lateMs
  return slots.slice(0, isFar ? 1 : slots.length).map((slot) => ({
    fromMs: slot - nowMs + afterMs,
    untilMs: slot - nowMs + (isFar ? afterMs : beforeMs) + lateMs,
    second: Math.floor(slot / 1000)
  }))
}

/** The spending can't be read or written at the moment. */
export class Uncounted extends Schema.TaggedError<Uncounted>()("Uncounted", { message: Schema.String }) {}

export class Spending extends Context.Service<
  Spending,
  {
    /** For the last minute. `now` is the caller's monotonic clock. */
    readonly recent: (now: () => number) => Effect.Effect<Recent, Uncounted>
    readonly reserve: (ask: Ask, now: () => number) => Effect.Effect<Reserved, Uncounted>
  }
>()("siteledger/Spending") {
  /** In memory, for a process that shares its plan with no other. */
  static readonly layerAlone: Layer.Layer<Spending> = Layer.sync(Spending, () => {
    let granted = nothingGranted
    return Spending.of({
      recent: () => Effect.sync(() => ({ spent: granted.spent, aheadMs: 0 })),
      reserve: (ask, now) =>
        Effect.sync(() => {
          const nowMs = now()
          const { slots, ...after } = grant(granted, ask, nowMs)
          granted = after
          return { turns: turnsOf(slots, nowMs, [nowMs, nowMs]), spent: after.spent, aheadMs: 0 }
        })
    })
  })
}
