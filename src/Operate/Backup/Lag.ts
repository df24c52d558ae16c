/**
 * How far a backup is behind, and why: for Status and the reasons. This is judged independently of the backup's own
 * turns, because a turn may hang on a vault that doesn't answer.
 */
import { Clock, Duration, Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import type { BackupStatus } from "../AdminApi/StatusReport.ts"

export interface Lag {
  readonly name: string
  readonly startedMs: number
  /** Everything that was acknowledged until then is in it; undefined until this process has brought it up to date. */
  atMs: number | undefined
  chunks: number
  error: { readonly message: string; readonly reason?: string } | undefined
}

/** Twice the intended lag. */
const late = Duration.minutes(2)
const lookEvery = Duration.seconds(5)

export const make = (name: string): Effect.Effect<Lag> =>
  Effect.map(Clock.currentTimeMillis, (startedMs) => ({
    name,
    startedMs,
    atMs: undefined,
    chunks: 0,
    error: undefined
  }))

export const reached = (lag: Lag, atMs: number, chunks: number): Effect.Effect<void> =>
  Effect.sync(() => Object.assign(lag, { atMs, chunks, error: undefined }))

export const failed = (lag: Lag, error: Lag["error"]): Effect.Effect<void> =>
  Effect.sync(() => Object.assign(lag, { error }))

export const isWhole = (lag: Lag): Effect.Effect<boolean> => Effect.sync(() => lag.atMs !== undefined)

export const status = (lag: Lag, verifiedAt: string | null): Effect.Effect<BackupStatus> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => ({
    to: lag.name,
    at: lag.atMs === undefined ? null : Instant.fromMillis(lag.atMs),
    ageMs: lag.atMs === undefined ? null : Math.max(0, nowMs - lag.atMs),
    chunks: lag.chunks,
    verifiedAt,
    error: lag.error?.message ?? null
  }))

const isFinal = ({ error }: Lag): boolean => error?.reason === "Refused" || error?.reason === "Damaged"

const behind = ({ atMs, error, name, startedMs }: Lag, nowMs: number): string | undefined => {
  const ms = nowMs - (atMs ?? startedMs)
  if (ms < Duration.toMillis(late)) return undefined
  const minutes = `${Math.floor(ms / 60_000)} minutes`
  const what =
    atMs === undefined
      ? `The backup on ${name} isn't up to date since the start ${minutes} ago`
      : `The backup on ${name} is ${minutes} behind`
  return error === undefined ? `${what}: it is being sent.` : `${what}: ${error.message}`
}

/** Sets and clears the reasons repeatedly. */
export const watch = (lag: Lag) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const sentence = behind(lag, yield* Clock.currentTimeMillis)
    if (lag.error !== undefined && isFinal(lag)) yield* reasons.set("backup refused", lag.error.message, "critical")
    else yield* reasons.clear("backup refused")
    if (sentence === undefined || isFinal(lag)) yield* reasons.clear("backup")
    else yield* reasons.set("backup", sentence)
    yield* Effect.sleep(lookEvery)
  })
