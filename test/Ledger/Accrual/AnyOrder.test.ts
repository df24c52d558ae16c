/**
 * The same accruals are posted for any order of events, on both engines: those of docs/ledger.md, computed here
 * independently. And the remaining receivable is what the statement calls open.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { plain } from "../../../config/Chart.ts"
import type { Terms } from "../../../src/Ledger/Fact.ts"
import * as Lines from "../../../src/Ledger/Lines.ts"
import { report } from "../../../src/Ledger/Reports.ts"
import type { Random } from "../../Seeded.ts"
import { inAnyOrder } from "../ManyOrders.ts"
import { certifiedIn, certifiedOf, isSound } from "../Cumulative/Projects.ts"
import { at, created, hear, journal, paid } from "../Started.ts"
import { certificates, tax, terms as accruing } from "./Accruing.ts"

/** In 7 and 8 certificates are cumulative with a capped retention and a tax; in 9 nobody has said what was certified before. */
const terms: Terms = {
  ...accruing,
  certificates: {
    ...certificates,
    withheld: [tax],
    byProject: {
      ...certificates.byProject,
      "8": { ...certificates.byProject["7"], certifiedBefore: "1000.0000" } as never,
      "9": { ...certificates.byProject["7"], certifiedBefore: null } as never
    }
  }
}

interface Life {
  readonly id: string
  readonly project: string
  /** By second, which no other has. */
  readonly certificates: ReadonlyMap<number, number>
  readonly paidAt: number | undefined
}

const lives = ({ below, chance, pick, shuffle }: Random): ReadonlyArray<Life> => {
  const seconds = shuffle(Array.from({ length: 60 }, (_, second) => second + 1))
  return Array.from({ length: 2 + below(5) }, (_, n) => ({
    id: `IPC-${n}`,
    project: pick(["7", "7", "8", "9", "10"]),
    certificates: new Map(Array.from({ length: pick([0, 1, 1, 2, 3]) }, () => [seconds.pop() ?? 0, below(20) * 37])),
    paidAt: chance(0.6) ? seconds.pop() : undefined
  }))
}

const events = ({ certificates: own, id, paidAt, project }: Life, { chance }: Random) => [
  ...[...own].map(([second, amount]) =>
    chance(0.7) ? certifiedIn(project, id, second, 0, `${amount}`) : certifiedOf(id, second, 0, `${amount}`)
  ),
  ...(paidAt === undefined ? [] : [paid(id, paidAt, 0)]),
  created(id, 0, 0, project)
]

const cents = (amount: number): number => Math.round(amount * 100)

/** What is due of all that is certified in a project so far, in cents: receivable, retention, tax, revenue. */
const sharesOf = (project: string, certified: number): ReadonlyArray<number> => {
  const held = project === "10" ? 0 : Math.min(cents(certified * 0.05), 4000)
  const added = Math.round((cents(certified) - held) / 5)
  return [cents(certified) - held + added, held, -added, -cents(certified)]
}

const newestBy = (own: ReadonlyMap<number, number>, by: number): number =>
  own.get(Math.max(...[...own.keys()].filter((second) => second <= by))) ?? 0

/** Undefined: it isn't known. */
const dueFor = (life: Life, all: ReadonlyArray<Life>): ReadonlyArray<number> | undefined => {
  const newest = Math.max(...life.certificates.keys())
  const certified = life.certificates.get(newest) ?? 0
  if (life.project === "10") return sharesOf("10", certified)
  const first = (each: Life) => Math.min(...each.certificates.keys())
  const before = all
    .filter((each) => each.project === life.project && first(each) < first(life))
    .toSorted((a, b) => first(b) - first(a))[0]
  const begun = { "7": 0, "8": 1000 }[life.project]
  const previous = before === undefined ? begun : newestBy(before.certificates, newest)
  if (previous === undefined) return undefined
  const shares = sharesOf(life.project, previous)
  return sharesOf(life.project, certified).map((share, index) => share - (shares[index] ?? 0))
}

const expectedOf = (all: ReadonlyArray<Life>) =>
  all
    .filter((life) => life.certificates.size > 0)
    .flatMap((life) => {
      const due = dueFor(life, all)
      if (due === undefined || due.every((cent) => cent === 0)) return []
      return [
        `${life.id} ${["receivable", "retention", "VAT", "revenue"].map((name, n) => `${name} ${due[n]}`).join()}`
      ]
    })
    .toSorted()

const accrued = Effect.map(journal, (rows) =>
  [
    ...Map.groupBy(
      rows.filter(({ kind }) => kind === "accrual"),
      ({ ipc_id }) => ipc_id
    )
  ]
    .flatMap(([id, own]) => {
      const sums = new Map(Lines.summed(own.flatMap(Lines.inRow)).map(({ account, units }) => [account, units / 100n]))
      if (sums.size === 0) return []
      return [
        `${id} ${["receivable", "retention", "VAT", "revenue"].map((name) => `${name} ${sums.get(name) ?? 0n}`).join()}`
      ]
    })
    .toSorted()
)

/** Of IPCs of which it is known what is due. */
const openIs = (all: ReadonlyArray<Life>) =>
  Effect.gen(function* () {
    const ids = all.filter((life) => life.certificates.size > 0 && dueFor(life, all) !== undefined).map(({ id }) => id)
    const known = new Set(ids)
    const rows = (yield* journal).filter(({ ipc_id }) => known.has(ipc_id)).flatMap(Lines.inRow)
    const receivable = rows.reduce((sum, { account, units }) => (account === "receivable" ? sum + units : sum), 0n)
    const { rows: aged } = yield* report("aged", "2026-12-31", plain)
    const open = aged
      .filter((row) => known.has(String(row["ipc"])))
      .reduce((sum, row) => sum + BigInt(String(row["open"]).replace(".", "")), 0n)
    assert.strictEqual(receivable, open)
  })

const anyOrder = (random: Random) =>
  Effect.gen(function* () {
    const all = lives(random)
    const shuffled = random.shuffle(all.flatMap((life) => events(life, random)))
    for (let from = 0; from < shuffled.length;) {
      const size = 1 + random.below(4)
      yield* hear(shuffled.slice(from, from + size).map((event, n) => ({ ...event, receivedAt: at(1000 + from + n) })))
      from += size
    }
    assert.deepStrictEqual(yield* accrued, expectedOf(all))
    for (const row of yield* journal) {
      assert.strictEqual(
        Lines.inRow(row).reduce((sum, { units }) => sum + units, 0n),
        0n
      )
    }
    yield* openIs(all)
    yield* isSound
  })

inAnyOrder("posts the same for certificates", terms, anyOrder)
