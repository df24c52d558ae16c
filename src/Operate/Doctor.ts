/**
 * The checks of `siteledger doctor`, one after the other. Each finding has one verdict and one clear sentence.
 *
 * A check changes nothing (in a bucket it writes and deletes one object) and can't prevent the others from running: if
 * it fails, hangs or breaks, that becomes its finding. No sentence contains a secret.
 */
import { Cause, Duration, Effect, Option, Schema } from "effect"

/** A check that couldn't be carried out. */
export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", { message: Schema.String }) {}

export type Verdict = "ok" | "warn" | "fail"

export interface CheckResult {
  readonly verdict: Verdict
  readonly sentence: string
  /** What to do. */
  readonly advice?: string
}

export interface Finding extends CheckResult {
  readonly check: string
}

export const ok = (sentence: string): CheckResult => ({ verdict: "ok", sentence })

/** It works, but not as well as it should, or not for long. */
export const warn = (sentence: string, advice?: string): CheckResult => result("warn", sentence, advice)

export const fail = (sentence: string, advice?: string): CheckResult => result("fail", sentence, advice)

const result = (verdict: Verdict, sentence: string, advice: string | undefined): CheckResult =>
  advice === undefined ? { verdict, sentence } : { verdict, sentence, advice }

/** For each check. */
const patience = Duration.seconds(6)

export const examine = <R>(
  check: string,
  look: Effect.Effect<CheckResult | ReadonlyArray<CheckResult>, unknown, R>
): Effect.Effect<ReadonlyArray<Finding>, never, R> =>
  look.pipe(
    Effect.timeoutOption(patience),
    Effect.map(Option.getOrElse(() => fail(`No answer within ${Duration.toSeconds(patience)} seconds.`))),
    Effect.catchCause((cause) => Effect.succeed(fail(`It can't be checked: ${messageOf(Cause.squash(cause))}`))),
    Effect.map((found) => [found].flat().map((each) => ({ check, ...each, sentence: ended(each.sentence) })))
  )

const ended = (sentence: string): string => (sentence.endsWith(".") ? sentence : `${sentence}.`)

export const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message || cause.name : String(cause)

/** One after the other, in this order. */
export const examineAll = <R>(
  checks: ReadonlyArray<Effect.Effect<ReadonlyArray<Finding>, never, R>>
): Effect.Effect<ReadonlyArray<Finding>, never, R> => Effect.map(Effect.all(checks), (found) => found.flat())

/** One line, for a person. */
export const line = ({ advice, check, sentence, verdict }: Finding): string =>
  `${verdict.padEnd(5)} ${check.padEnd(15)} ${[sentence, advice].filter((part) => part !== undefined).join(" ")}`
