/**
 * Collects what is logged: the sentences, and for a LogLine its name and fields. With `saw` a test checks that a line
 * is written when its cause occurs; test/Runtime/LogLine.test.ts checks that each line has such a test.
 */
import { assert } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import type { Name } from "../src/Runtime/LogLine.ts"

export interface Written {
  readonly level: string
  readonly event: unknown
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export class Log {
  readonly written: Array<Written> = []

  readonly layer = Logger.layer([
    Logger.make(({ fiber, logLevel, message }) => {
      const { event, ...fields } = fiber.getRef(References.CurrentLogAnnotations)
      this.written.push({ level: logLevel, event, message: String(message), fields })
    })
  ])

  get lines(): ReadonlyArray<string> {
    return this.written.map(({ message }) => message)
  }

  /** The names, in order. */
  get events(): ReadonlyArray<unknown> {
    return this.written.map(({ event }) => event)
  }

  /** The fields of the last line of this name, which there must be. */
  saw(event: Name): Readonly<Record<string, unknown>> {
    return sawIn(this.of(event), event, this.lines.join("\n"))
  }

  /** The fields of the lines of this name. */
  of(event: Name): ReadonlyArray<Readonly<Record<string, unknown>>> {
    return this.written.filter((each) => each.event === event).map(({ fields }) => fields)
  }
}

export const logged = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const log = new Log()
  const result = yield* Effect.provide(effect, log.layer)
  return { result, lines: log.lines }
})

const sawIn = <A>(lines: ReadonlyArray<A>, event: Name, all: string): A => {
  const last = lines.at(-1)
  assert.isDefined(last, `no line ${event} in:\n${all}`)
  return last
}

/** The same for a worker's log in JSON or logfmt: the last line of this name. */
export const saw = (log: string, event: Name): Readonly<Record<string, unknown>> =>
  sawIn(
    log.split("\n").flatMap((line) => parsed(line, event)),
    event,
    log
  )

const parsed = (line: string, event: Name): ReadonlyArray<Record<string, unknown>> => {
  if (line.startsWith("{")) {
    const written = JSON.parse(line) as Record<string, unknown>
    return written["event"] === event ? [written] : []
  }
  if (!line.includes(` event=${event} `)) return []
  const fields = [...line.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\S*)/g)].map(([, name = "", value = ""]) => [
    name,
    value.startsWith('"') ? (JSON.parse(value) as string) : value
  ])
  return [Object.fromEntries(fields) as Record<string, unknown>]
}
