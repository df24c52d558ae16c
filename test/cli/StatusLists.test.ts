/** A person sees at a glance how sure the copies of many lists are, in columns that stay columns. */
import { assert, it } from "@effect/vitest"
import { describe as described } from "../../cli/status/Report.ts"
import { full as fullReport } from "../Operate/FullReport.ts"

const walk = { pagesDone: 1, pagesTotal: 2, rows: 5, at: null, quarantined: 0 }

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
