/**
 * `siteledger status --watch`: the status repeatedly, until it is stopped. It also shows when the worker can't be
 * reached.
 */
import { Clock, Console, Effect, Result } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import * as Text from "../../src/Query/Text.ts"
import * as Print from "../Print.ts"
import { describe } from "./Report.ts"

const every = "1 second"

/** Moves the cursor home and clears what was written before. */
const repainted = (lines: ReadonlyArray<string>): string => `\u001B[H\u001B[2J${lines.join("\n")}\n`

const counted = (count: number, what: string): string => `${count} ${what}`

/** What counts as a change, in one line: for reasons, their keys. */
export const summary = ({ inbox, ledger, phase, reasonDetails }: StatusReport): string => {
  const reasons = reasonDetails.map(({ key, level }) => `${key} (${level})`)
  const parts = [
    counted(inbox.pending, "pending"),
    counted(inbox.quarantined, "in quarantine"),
    counted(ledger.entries, "posted"),
    counted(ledger.holds, "on hold"),
    ...(ledger.sink === null ? [] : [counted(ledger.sink.backlog, "to accounting"), counted(ledger.sink.dead, "dead")])
  ]
  return Text.visible(`${phase.padEnd(11)} ${[parts.join(", "), ...reasons].join("; ")}`)
}

/** `ask` fails while there is no worker to ask. */
export const watch = <E extends { readonly message: string }, R>(
  ask: Effect.Effect<StatusReport, E, R>,
  asJson: boolean
): Effect.Effect<never, never, R> =>
  Effect.suspend(() => {
    const isTerminal = process.stdout.isTTY === true && !asJson
    let last = ""
    const turn = Effect.gen(function* () {
      const found = yield* Effect.result(ask)
      const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
      if (isTerminal) {
        const lines = Result.isSuccess(found) ? describe(found.success) : [found.failure.message]
        process.stdout.write(repainted([`${at}, each second; ctrl-c ends it`, "", ...lines]))
      } else {
        const now = Result.isSuccess(found) ? summary(found.success) : `unknown     ${found.failure.message}`
        if (now === last) return
        last = now
        if (!asJson) yield* Console.log(`${at.slice(0, 19)}Z ${now}`)
        else yield* Print.document(Result.isSuccess(found) ? found.success : { error: found.failure.message })
      }
    })
    return Effect.forever(Effect.andThen(turn, Effect.sleep(every)))
  })
