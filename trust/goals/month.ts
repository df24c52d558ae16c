/**
 * A month of a firm with two companies and two currencies: corrections, part payments, retention, reversals, a month
 * that is closed, and late events; with kills, and accounting systems that answer slowly, refuse for a while, or whose
 * answers get lost. In the end siteledger's trial balance, hledger's, the accounting systems' and one that is computed
 * from the history are the same, to the last digit: `npm run trust -- month --ipcs 5000 --kills 20`.
 */
import type { Goal } from "../Goal.ts"
import * as Hledger from "../month/Hledger.ts"
import { played } from "../month/Month.ts"
import * as Tryton from "../month/Tryton.ts"
import { judged } from "../month/Verdict.ts"

const usual = { ipcs: 40, kills: 2 }

/** What can't be compared on this machine, and why. */
const skipped = Object.fromEntries(
  Object.entries({ hledger: Hledger.missing, Tryton: Tryton.missing }).filter(([, why]) => why !== undefined)
)

export const goal: Goal = {
  engines: ["duckdb", "postgres"],
  runs: 1,
  isFirst: true,
  run: async (attack) => {
    const size = { ...usual, ...attack.size }
    const violations: Array<string> = []
    const figures: Record<string, unknown> = {}
    let runs = 0
    for (const run of attack.runs()) {
      const from = performance.now()
      const tell = (sentence: string) => {
        const seconds = Math.round((performance.now() - from) / 1000)
        process.stderr.write(`month on ${attack.engine}, ${seconds} s: ${sentence}\n`)
      }
      await played(attack, size, tell, async (month) => {
        const found = await judged(month)
        violations.push(...found.violations)
        const { clerk, delivery, killer, office } = month
        const systems = office.systems.map(({ gate, name }) => [
          name,
          { requests: gate.entries, ...Object.fromEntries(gate.met) }
        ])
        Object.assign(figures, {
          ipcs: size.ipcs,
          kills: killer.count,
          entries: found.entries,
          accounts: found.accounts,
          deliveries: delivery.attempts,
          answered: [...clerk.answered.values()].reduce((sum, each) => sum + each, 0),
          peakMb: office.peakMb,
          moments: Object.fromEntries(killer.killed),
          reasons: Object.fromEntries(clerk.answered),
          systems: Object.fromEntries(systems),
          ...(Object.keys(skipped).length === 0 ? {} : { skipped })
        })
      })
      runs = run + 1
    }
    return { runs, violations, figures }
  }
}
