/**
 * The live view of a running worker on stderr: progress bars during the backfill (plain lines if stderr isn't a
 * terminal), then one line per second with what was posted since. It only reads.
 */
import { Effect } from "effect"
import { Settings } from "../config/Settings.ts"
import * as Lines from "../src/Ledger/Lines.ts"
import { journal } from "../src/Ledger/Look.ts"
import * as Text from "../src/Query/Text.ts"
import type { StatusReport } from "../src/Operate/AdminApi/StatusReport.ts"
import { Status } from "../src/Operate/Status.ts"
import type { StoreTables } from "../src/Stores/StoreTables.ts"

const barWidth = 30
const redrawEvery = "200 millis"
const lineEvery = "1 second"

interface Style {
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
  readonly red: (text: string) => string
}

const plain: Style = { dim: (text) => text, bold: (text) => text, red: (text) => text }

const wrap = (code: string) => (text: string) => `\u001B[${code}m${text}\u001B[0m`
const colored: Style = { dim: wrap("2"), bold: wrap("1"), red: wrap("31") }

const write = (text: string) => Effect.sync(() => void process.stderr.write(text))

/** Shows the backfill until it is complete, then `welcome`, then a line per second. Never returns. */
export const display = (welcome: (style: Style) => ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { color } = yield* Settings
    const isTerminal = process.stderr.isTTY === true
    const style = color && isTerminal ? colored : plain
    yield* isTerminal ? bars(style) : milestones
    yield* write(`\n${welcome(style).join("\n")}\n\n`)
    return yield* lines(style)
  })

const report = Effect.flatMap(Status, (status) => Effect.orDie(status.report))

const isThrough = (current: StatusReport): boolean =>
  Object.values(current.backfill).every((walk) => walk.proof !== "running")

const bars = (style: Style) =>
  Effect.gen(function* () {
    while (true) {
      const current = yield* report
      const rows = Object.entries(current.backfill).map(([resource, walk]) => {
        const share = walk.pagesTotal === 0 ? 0 : walk.pagesDone / walk.pagesTotal
        const done = Math.round(share * barWidth)
        const bar = `${"█".repeat(done)}${style.dim("░".repeat(barWidth - done))}`
        return `${resource.padEnd(10)} ${bar} ${String(walk.rows).padStart(9)} rows  ${walk.proof}`
      })
      const reasons = current.reasons.map((reason) => style.red(reason))
      yield* write(`\r\u001B[J${[...rows, ...reasons].join("\n")}`)
      if (isThrough(current)) return
      const up = rows.length + reasons.length - 1
      yield* Effect.sleep(redrawEvery)
      if (up > 0) yield* write(`\u001B[${up}A`)
    }
  })

/** For a log: a line for every additional tenth of a list. */
const milestones = Effect.gen(function* () {
  const printed = new Map<string, number>()
  while (true) {
    const current = yield* report
    for (const [resource, walk] of Object.entries(current.backfill)) {
      const tenths = walk.pagesTotal === 0 ? 0 : Math.floor((10 * walk.pagesDone) / walk.pagesTotal)
      if (tenths <= (printed.get(resource) ?? 0)) continue
      printed.set(resource, tenths)
      yield* write(`${resource}: ${walk.rows} rows, ${tenths * 10} %\n`)
    }
    if (isThrough(current)) return
    yield* Effect.sleep(redrawEvery)
  }
})

const lines = (style: Style) =>
  Effect.gen(function* () {
    let last = (yield* report).events["applied"] ?? 0
    let shown = (yield* newest)?.sequence ?? 0
    while (true) {
      yield* Effect.sleep(lineEvery)
      const current = yield* report
      const applied = current.events["applied"] ?? 0
      yield* write(`${second(current, applied - last, style)}\n`)
      last = applied
      for (const reason of current.reasons) yield* write(`  ${style.red(`! ${reason}`)}\n`)
      const entry = yield* newest
      if (entry !== undefined && entry.sequence > shown) {
        yield* write(`${posting(entry, entry.sequence - shown - 1, style)}\n`)
        shown = entry.sequence
      }
    }
  })

const columns = 80

/** The most important parts come first, and what doesn't fit on the line isn't shown. */
const second = ({ api, events, inbox, ledger, phase }: StatusReport, fresh: number, style: Style): string => {
  const parts = [
    `${events["applied"] ?? 0} events (+${fresh}/s)`,
    `${ledger.entries} posted`,
    `${ledger.holds} on hold`,
    `${inbox.quarantined} in quarantine`,
    ...(inbox.pending > 0 ? [`${inbox.pending} pending`] : []),
    `api ${api.usedLastMinute}/${api.limitPerMinute}`
  ]
  const name = phase.padEnd(4)
  const shown = parts.filter((_, n) => [name, ...parts.slice(0, n + 1)].join(" · ").length <= columns)
  return [style.bold(name), ...shown].join(style.dim(" · "))
}

const newest = Effect.map(Effect.orDie(journal(1, undefined)), ([entry]) => entry)

/** The newest entry, and how many others came with it. */
const posting = (entry: StoreTables["ledger_entries"], others: number, style: Style): string => {
  const more = others === 0 ? "" : `  and ${others} more`
  const amount = [entry.amount, entry.currency]
    .filter((part) => part !== null)
    .join(" ")
    .padStart(18)
  const what = ` ${entry.kind} ${Text.visible(`${entry.payment_reference}: ${Lines.inWords(entry)}`)}`
  const room = columns - Text.width(amount) - more.length - 2
  return `  ${style.bold(amount)}${Text.cut(what, room)}${style.dim(more)}`
}
