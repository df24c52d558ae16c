/**
 * The books under load. Payments arrive at a whole worker, at 50 and at 200 per second, each for an IPC that was
 * certified before. Measured is the time from each 2xx until its entry is in the store, and until it is at a sink that
 * answers at once (`Posting.ts`); with PostgreSQL also for three workers. A million facts are folded in memory,
 * compared with a bare loop that only sums the amounts of the same facts by IPC. Books of 100,000 entries are verified,
 * with all bodies (`Verified.ts`). `Figures.ts` has the goals. Run: node bench/ledger.ts [--engine postgres]
 */
import { minorDigits } from "../config/Currency.ts"
import { unsaid } from "../config/Certificates.ts"
import { rulesVersion } from "../config/Ledger.ts"
import * as Instant from "../src/Domain/Instant.ts"
import type { Fact, Terms } from "../src/Ledger/Fact.ts"
import * as Fold from "../src/Ledger/Fold.ts"
import { type Books, empty } from "../src/Ledger/Fold/Known.ts"
import { median, round } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { opened } from "./Posting.ts"
import { ranged } from "./Ranges.ts"
import { verified } from "./Verified.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 8)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const facts = Number(process.env["BENCH_EVENTS"] ?? 1_000_000)
const entries = Number(process.env["BENCH_ENTRIES"] ?? 100_000)
const usual = 50
const many = 200
const warming = { perSecond: 100, seconds: Math.min(seconds, 5) }

await using engine = await Engine.open()

/** The rates take turns. */
const paying = async (workers: number, rates: ReadonlyArray<number>) => {
  const { close, pay } = await opened(engine, workers, warming)
  const lines = rates.map((): Array<Awaited<ReturnType<typeof pay>>> => [])
  for (let each = 0; each < rounds; each++) {
    for (const [n, perSecond] of rates.entries()) lines[n]!.push(await pay({ perSecond, seconds }))
  }
  await close()
  return lines.map(ranged)
}

const second = (n: number): Instant.Instant => Instant.fromMillis(Date.UTC(2026, 10, 1) + n * 1000)

const terms: Terms = {
  debitAccount: "bank",
  creditAccount: "receivable",
  currency: "EUR",
  currencies: {},
  minorDigits,
  certificates: unsaid,
  openFrom: null,
  inClosedPeriod: "hold",
  rules: rulesVersion,
  timezone: "UTC",
  confirmAbove: null,
  reading: null
}

const lifeOf = 4
const atOnce = 10_000

/**
 * Interleaved lives: project, certificate, payment, and finally another certificate, which for every other IPC is an
 * earlier one.
 */
const block = (from: number): ReadonlyArray<Fact> =>
  Array.from({ length: lifeOf * atOnce }, (_, index): Fact => {
    const number = from + index + 1
    const n = index % atOnce
    const common = { number, ipcId: `IPC-${from + n}`, knownAt: second(number), eventId: `event-${number}` }
    const certificate = { ...common, kind: "certificate", url: `https://example.com/c/${number}` } as const
    if (index < atOnce) return { ...common, kind: "project", projectId: String(n % 700) }
    if (index < 2 * atOnce) return { ...certificate, at: second(2), units: BigInt(10_000 + n) }
    if (index < 3 * atOnce) return { ...common, kind: "payment", at: second(4), reference: `PAY-${from + n}` }
    return { ...certificate, at: second(n % 2 === 0 ? 3 : 1), units: BigInt(20_000 + n) }
  })

const folded = () => {
  const took = { fold: 0, sum: 0 }
  let posted = 0
  for (let from = 0; from < facts; from += lifeOf * atOnce) {
    const some = block(from)
    const begun = performance.now()
    const books = new Map<string, Books>()
    for (const fact of some) {
      const turn = Fold.fold(books.get(fact.ipcId) ?? empty(fact.ipcId), fact, terms)
      books.set(fact.ipcId, turn.books)
      posted += turn.entries.length
    }
    const middle = performance.now()
    const sums = new Map<string, bigint>()
    for (const fact of some) {
      if (fact.kind === "certificate") sums.set(fact.ipcId, (sums.get(fact.ipcId) ?? 0n) + fact.units)
    }
    took.fold += middle - begun
    took.sum += performance.now() - middle
  }
  return { posted, perSecond: (facts / took.fold) * 1000, summedPerSecond: (facts / took.sum) * 1000 }
}

const [at50, at200] = await paying(1, [usual, many])
const most = Math.max(0, ...Engine.fleets)
const [fleetAt50] = most > 1 ? await paying(most, [usual]) : []
const fold = folded()
const { applySeconds, seconds: verifying } = await verified(await engine.place(), entries, rounds)
const verifySeconds = median(verifying)
const line = {
  bench: "ledger",
  engine: Engine.name,
  at50,
  at200,
  fleet: fleetAt50 && { workers: most, at50: fleetAt50 },
  events: facts,
  posted: fold.posted,
  foldedPerSecond: Math.round(fold.perSecond),
  summedPerSecond: Math.round(fold.summedPerSecond),
  ratio: round(fold.perSecond / fold.summedPerSecond, 4),
  entries,
  appliedPerSecond: Math.round((2 * entries) / applySeconds),
  verifySeconds: round(verifySeconds, 2),
  ranges: {
    at50: at50?.ranges,
    at200: at200?.ranges,
    fleet: { at50: fleetAt50?.ranges },
    verifySeconds: [round(Math.min(...verifying), 2), round(Math.max(...verifying), 2)]
  },
  verifiedPerSecond: Math.round(entries / verifySeconds)
}
process.stdout.write(`${JSON.stringify(line)}\n`)
