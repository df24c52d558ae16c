/**
 * What the main thread makes of the reports of the receiver's thread: counts, reasons for what only a person can fix,
 * and the use of secrets.
 */
import { Effect } from "effect"
import { Reasons } from "../../Runtime/Reasons.ts"
import type { Secret } from "../Secrets/Keyring.ts"
import type { Counters, Report } from "./Messages.ts"
import type * as Refusals from "./Refusals.ts"
import type { Signatures } from "./Signatures.ts"
import * as Strangers from "./Strangers.ts"

export interface Accounts {
  readonly counters: Readonly<Counters>
  readonly heard: (report: Report) => void
}

const key = "receiver store"

/** More wrong ones in a row than this make no difference. */
const mostWrong = 3

/** `secret`: finds one by its number. */
export const make = (
  refusals: Refusals.Refusals,
  signatures: Signatures["Service"],
  secret: (number: number) => Secret | undefined
) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const strangers = yield* Strangers.make
    const counters: Counters = { accepted: 0, rejected: 0, tooLarge: 0, encoded: 0, notStored: 0 }
    const wrong = (count: number): void => {
      for (let n = 0; n < Math.min(count, mostWrong); n++) strangers.wrong()
    }
    return {
      counters,
      heard: (report) => {
        for (const name of Object.keys(counters) as Array<keyof Counters>) counters[name] += report.counters[name]
        wrong(report.wrong.before)
        if (report.counters.accepted > 0) strangers.right()
        wrong(report.wrong.after)
        if (typeof report.failing === "string") {
          const sentence = `Deliveries can't be stored and are answered 503 for now: ${report.failing}`
          runFork(reasons.set(key, sentence, "critical"))
        }
        if (report.failing === null) runFork(reasons.clear(key))
        for (const refusing of report.refusals) refusals.heard(refusing)
        for (const { events, pings, secret: number } of report.accepted) {
          const signer = secret(number)
          if (signer === undefined) continue
          if (pings > 0) signatures.accepted(true, signer, pings)
          if (events > 0) signatures.accepted(false, signer, events)
        }
      }
    } satisfies Accounts
  })
