/**
 * A LogLine is a line of the log at level info or above: a name that never changes, fields, and a sentence for people.
 * All of them are described here, and written only through here. docs/log.md is generated from this.
 *
 * None contains a secret: fields are names, numbers and sentences that Status shows too.
 */
import { Duration, Effect, LogLevel, References } from "effect"
import { intake } from "./LogLine/Deliveries.ts"
import { stores, warehouse } from "./LogLine/Files.ts"
import { backups, lake } from "./LogLine/Lake.ts"
import type { Given, Line } from "./LogLine/Line.ts"
import { books, outbox } from "./LogLine/Money.ts"
import { life, reasons, service, verbs } from "./LogLine/Worker.ts"

/** In the order of docs/log.md. */
export const sections = {
  "The worker": life,
  Reasons: reasons,
  "Who asked": verbs,
  "The service": service,
  Deliveries: intake,
  "The books": books,
  Accounting: outbox,
  "The lake": lake,
  "The backup off the machine": backups,
  "The stores": stores,
  "The warehouse": warehouse
} as const

const lines = {
  ...life,
  ...reasons,
  ...verbs,
  ...service,
  ...intake,
  ...books,
  ...outbox,
  ...lake,
  ...backups,
  ...stores,
  ...warehouse
}

export type Name = keyof typeof lines
type FieldsOf<N extends Name> = (typeof lines)[N]["fields"]

/** The annotation that holds a line's name. */
export const nameKey = "event"

/** `more`: a cause, appended to the line. */
export const write = <N extends Name>(
  name: N,
  given: Given<FieldsOf<N>>,
  ...more: ReadonlyArray<unknown>
): Effect.Effect<void> => {
  const described = lines[name] as unknown as Line<FieldsOf<N>>
  const level = typeof described.level === "function" ? described.level(given) : described.level
  const fields = Object.entries(given).filter(([, value]) => value !== null)
  return Effect.suspend(() => Effect.log(described.sentence(given), ...more)).pipe(
    Effect.annotateLogs({ [nameKey]: name, ...Object.fromEntries(fields) }),
    Effect.provideService(References.CurrentLogLevel, level),
    Effect.when(LogLevel.isEnabled(level)),
    Effect.asVoid
  )
}

/** Whether lines about each delivery and entry are written. */
export const isDetailed: Effect.Effect<boolean> = LogLevel.isEnabled("Debug")

/** To the millisecond, as in the fields. */
export const seconds = (duration: Duration.Duration): number => Math.round(Duration.toMillis(duration)) / 1000
