/**
 * Limits the log: at most a fixed number of lines per name in each minute of the clock. When the minute is over, one
 * line says how many were left out. Lines without a name share one limit. Reasons are counted by their key, so that one
 * that comes and goes hides no other.
 */
import { Clock, Effect, Layer, Logger, LogLevel, References } from "effect"
import * as LogLine from "../../src/Runtime/LogLine.ts"

/** At level info and above. */
export const mostLines = 60
/** At level debug and below, where each delivery has a line. */
export const mostDetails = 6000

const minuteMs = 60_000
const unnamed = "lines without a name"

interface Counted {
  readonly most: number
  lines: number
}

export class Limit {
  #minute = 0
  #counted = new Map<string, Counted>()
  readonly #omitted = new Map<string, { readonly most: number; lines: number }>()

  /** Whether the line may be written. */
  take({ date, fiber, logLevel }: Logger.Options<unknown>): boolean {
    const { [LogLine.nameKey]: name = unnamed, reason } = fiber.getRef(References.CurrentLogAnnotations)
    if (name === omittedName) return true
    this.#turn(Math.floor(date.getTime() / minuteMs))
    const of = typeof reason === "string" ? `${String(name)} (${reason})` : String(name)
    const isDetail = LogLevel.isLessThan(logLevel, "Info")
    const counted = this.#counted.get(of) ?? { most: isDetail ? mostDetails : mostLines, lines: 0 }
    this.#counted.set(of, counted)
    return ++counted.lines <= counted.most
  }

  /** What was left out in past minutes, or so far; each is reported once. */
  omitted(isOver: boolean, nowMs: number) {
    this.#turn(isOver ? Number.NaN : Math.floor(nowMs / minuteMs))
    const told = [...this.#omitted].map(([of, { lines, most }]) => ({ of, lines, most }))
    this.#omitted.clear()
    return told
  }

  #turn(minute: number): void {
    if (minute === this.#minute) return
    this.#minute = minute
    for (const [of, { lines, most }] of this.#counted) {
      if (lines > most) this.#omitted.set(of, { most, lines: lines - most + (this.#omitted.get(of)?.lines ?? 0) })
    }
    this.#counted = new Map()
  }
}

const omittedName: LogLine.Name = "log.omitted"

const limited = (limit: Limit, loggers: ReadonlySet<Logger.Logger<unknown, unknown>>) =>
  Logger.make((written: Logger.Options<unknown>) => {
    if (limit.take(written)) for (const logger of loggers) logger.log(written)
  })

const tell = (limit: Limit, isOver: boolean) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Effect.forEach(limit.omitted(isOver, nowMs), (given) => LogLine.write(omittedName, given), { discard: true })
  )

/** Limits all existing loggers. */
export const layer = Layer.unwrap(
  Effect.sync(() => {
    const limit = new Limit()
    const telling = Layer.effectDiscard(
      Effect.gen(function* () {
        yield* Effect.addFinalizer(() => tell(limit, true))
        const untilNext = Effect.map(Clock.currentTimeMillis, (nowMs) => minuteMs - (nowMs % minuteMs))
        const turn = Effect.andThen(Effect.flatMap(untilNext, Effect.sleep), tell(limit, false))
        yield* Effect.forkScoped(Effect.forever(turn))
      })
    )
    const loggers = Layer.effect(
      Logger.CurrentLoggers,
      Effect.map(Logger.CurrentLoggers, (all) => new Set([limited(limit, all)]))
    )
    return telling.pipe(Layer.provideMerge(loggers))
  })
)
