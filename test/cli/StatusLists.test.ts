/** A person sees at a glance how sure the copies of many lists are, in columns that stay columns, and how the clocks differ. */
import { assert, it } from "@effect/vitest"
import { describe as described } from "../../cli/status/Report.ts"
import { full as fullReport } from "../Operate/FullReport.ts"

const walk = {
  pagesDone: 1,
  pagesTotal: 2,
  rows: 5,
  at: null,
  changedAt: null,
  nextProofAt: null,
  requestsLeft: null,
  quarantined: 0,
  parents: null
}

it("a child list says below how many of its parents the copy is proven, if it isn't for all", () => {
  const of = (proven: number) =>
    described({ ...fullReport, backfill: { rfis: { ...walk, proof: "unproven", parents: { found: 100, proven } } } })
  assert.include(of(97), "  proven for 97 of 100 parents")
  assert.isFalse(of(100).some((line) => line.includes("parents")))
})

it("a list says when it is next proven, and as of when its changes are, within 80 columns", () => {
  const table = "a".repeat(63)
  const lines = described({
    ...fullReport,
    backfill: {
      [table]: {
        ...walk,
        rows: 123_456_789,
        pagesDone: 12_345,
        pagesTotal: 123_456,
        proof: "passes-agree",
        quarantined: 12_345,
        nextProofAt: "2026-11-20T02:59:59.999000Z",
        requestsLeft: 123_456,
        changedAt: "2026-11-20T01:00:00.000000Z",
        parents: { found: 100_000, proven: 99_999 }
      }
    }
  })
  const from = lines.findIndex((line) => line.startsWith(table))
  const shown = lines.slice(from, from + 6)
  assert.deepStrictEqual(shown, [
    table,
    "  123456789 rows, page 12345 of 123456, passes-agree",
    "  12345 records in quarantine",
    "  next proven about 2026-11-20 02:59 UTC, after 123456 requests",
    "  with its changes as of 2026-11-20 01:00 UTC",
    "  proven for 99999 of 100000 parents"
  ])
  assert.isAtMost(Math.max(...shown.map(({ length }) => length)), 80)
})

it("many lists begin with how many are how sure, and line up", () => {
  const backfill = {
    projects: { ...walk, proof: "proven" as const },
    inspection_templates: { ...walk, proof: "passes-agree" as const, quarantined: 2 },
    roles: { ...walk, proof: "proven" as const }
  }
  const lines = described({ ...fullReport, backfill })
  const from = lines.findIndex((line) => line.startsWith("lists"))
  assert.deepStrictEqual(lines.slice(from, from + 4), [
    "lists         3: 2 proven, 1 passes-agree",
    "projects             5 rows, page 1 of 2, proven",
    "inspection_templates 5 rows, page 1 of 2, passes-agree, 2 records in quarantine",
    "roles                5 rows, page 1 of 2, proven"
  ])
  const one = described({ ...fullReport, backfill: { projects: backfill.projects } })
  assert.isFalse(one.some((line) => line.startsWith("lists")))
  assert.include(one, "projects      5 rows, page 1 of 2, proven")
})

it("deliveries that come before their event, by another clock, are said to, not to come after less than nothing", () => {
  const line = (events: number) =>
    described({ ...fullReport, clockSkewMs: { answers: 0, deliveries: 400, events } }).find((each) =>
      each.includes("at least")
    )
  assert.strictEqual(line(-700), "  deliveries come at least 0.4 s after they are sent, 0.7 s before their event")
  assert.strictEqual(line(700), "  deliveries come at least 0.4 s after they are sent, 0.7 s after their event")
})

it("clocks that differ by less than the service says are within a second, and others differ by as much", () => {
  const line = (answers: number | null) =>
    described({ ...fullReport, clockSkewMs: { answers, deliveries: 0, events: null } }).find((each) =>
      each.startsWith("clock")
    )
  for (const close of [-999, -1, 0, 999])
    assert.strictEqual(line(close), "clock         within a second of the service's")
  assert.strictEqual(line(1000), "clock         1.0 s ahead of the service's")
  assert.strictEqual(line(-2450), "clock         2.5 s behind the service's")
  assert.strictEqual(line(null), "clock         not compared with the service's yet")
})
