/**
 * docs/metrics.md explains each metric, and ops/prometheus-rules.yml alerts on existing metrics, at the right time.
 * After a change: UPDATE_DOCS=1 npx vitest run test/Operate/MetricsDocument.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { sections } from "../../src/Operate/Metrics/Families.ts"
import type { Family } from "../../src/Operate/Metrics/Family.ts"
import * as Timings from "../../src/Runtime/Timings.ts"
import { isWithoutPromtool, testRules } from "../Exposition.ts"
import { read, root, under } from "../Tidy/Sources.ts"
import { expected } from "./FullReport.ts"

type Described = Pick<Family, "name" | "says" | "labels"> & {
  readonly type: string
  readonly unit?: string | undefined
}

const rulesText = readFileSync(join(root, "ops/prometheus-rules.yml"), "utf8")

/** Prometheus gives them to every series. */
const ofScraping = new Set(["instance", "job"])

const rules = rulesText
  .split("- alert: ")
  .slice(1)
  .map((text) => ({
    name: /^\w+/.exec(text)?.[0] ?? "",
    expression: /\bexpr: (.+)/.exec(text)?.[1] ?? "",
    summary: /\bsummary:\s+"(.+)"/.exec(text)?.[1] ?? "",
    runbook: /\brunbook_url: (.+)/.exec(text)?.[1] ?? ""
  }))

const timings: ReadonlyArray<Described> = Object.values(Timings.timings).map(({ buckets, labels, name, says }) => ({
  name,
  labels,
  type: "histogram",
  unit: "seconds",
  says: `${says}; buckets: ${buckets.join(", ")}`
}))

const all: ReadonlyArray<Described> = [...Object.values(sections).flat(), ...timings]

const usesOf = ({ name }: Described): ReadonlyArray<string> =>
  rules
    .filter(({ expression }) => new RegExp(`\\b${name}(_bucket)?\\b`).test(expression))
    .map((rule) => rule.name.replace(/^Siteledger/, ""))

const preface = `# Metrics

\`GET /metrics\` of the admin listener has these metrics in the Prometheus text format. They can also go to a collector over OTLP
([telemetry.md](telemetry.md)). Each worker has its own. Counters start at 0 with the worker, and again when its pipelines restart
in the same process. A metric without a value has no series: before the first event there is no time of the last one. Generated
from \`src/Operate/Metrics/Families.ts\` and \`src/Runtime/Timings.ts\`.

\`\`\`yaml
scrape_configs:
  - job_name: siteledger
    static_configs: [{ targets: ["127.0.0.1:8081"] }]
    # Only if SITELEDGER_ADMIN_TOKEN is set.
    authorization: { credentials_file: /etc/prometheus/siteledger-token }
\`\`\`

[grafana-dashboard.json](../ops/grafana-dashboard.json) shows them in Grafana.
[prometheus-rules.yml](../ops/prometheus-rules.yml) has alerting rules, which the last column names (each begins with
\`Siteledger\`). The first ones to set up are \`Gone\`, \`StatusUnreadable\` and \`Critical\`: a reason of
[\`/status\`](alerts.md) says what is wrong and what to do.`

const table = (rows: ReadonlyArray<Described>): string =>
  [
    "| name | type | unit | labels | says | alerts |",
    "|---|---|---|---|---|---|",
    ...rows.map((row) => {
      const { labels, name, says, type, unit = "" } = row
      const shown = [`\`${name}\``, type, unit, labels.map((label) => `\`${label}\``).join(", "), says]
      return `| ${[...shown, usesOf(row).join(", ")].join(" | ")} |`
    })
  ].join("\n")

it("docs/metrics.md says what each metric means", () => {
  const parts = Object.entries({ ...sections, "How long things took": timings }).map(
    ([title, of]: readonly [string, ReadonlyArray<Described>]) => `## ${title}\n\n${table(of)}`
  )
  const text = `${[preface, ...parts].join("\n\n")}\n`
  const file = join(root, "docs/metrics.md")
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(file, text)
  assert.strictEqual(readFileSync(file, "utf8"), text)
})

describe("ops/prometheus-rules.yml", () => {
  it("alerts on metrics and labels that there are, in sentences", () => {
    assert.isAbove(rules.length, 20)
    for (const { expression, name, summary } of rules) {
      assert.match(name, /^Siteledger[A-Z]\w+$/, summary)
      assert.match(summary, /^[A-Z{].*[.`]$/, name)
      const used = [...expression.matchAll(/\b((?:siteledger|process)_\w+?)(?:_bucket)?\b(?:\{(\w+)[!=])?/g)]
      assert.isNotEmpty(used, name)
      for (const [, metric = "", label] of used) {
        const found = all.find((each) => each.name === metric)
        assert.isDefined(found, `${name} uses ${metric}`)
        if (label !== undefined) assert.include(found?.labels ?? [], label, `${name} uses ${metric}`)
      }
    }
  })

  it("asks for labels that metrics have, and is tested with series that there are", () => {
    const shown = expected.map(([series]) => series)
    const given = worlds.map(([series]) => series)
    for (const series of [...rules.map(({ expression }) => expression), ...given]) {
      for (const [, metric = "", labels = ""] of series.matchAll(/\b(siteledger_\w+)\{([^}]*)\}/g)) {
        for (const [, label = "", value = ""] of labels.matchAll(/(\w+)!?=(".*?")/g)) {
          if (ofScraping.has(label) || label === "le") continue
          const found = shown.some((each) => each.startsWith(`${metric}{`) && each.includes(`${label}=${value}`))
          assert.isTrue(found, `${metric} has ${label}=${value}`)
        }
      }
    }
  })

  it("leads from each alert to a part of the runbook that says what to do", () => {
    const page = "https://github.com/siteledger/siteledger/blob/main/docs/runbook.md"
    for (const { name, runbook } of rules) assert.strictEqual(runbook, `${page}#${name.toLowerCase()}`)
    const parts = readFileSync(join(root, "docs/runbook.md"), "utf8").split(/^## /m).slice(1)
    assert.deepStrictEqual(
      parts.map((part) => part.split("\n")[0]),
      rules.map(({ name }) => name)
    )
    for (const part of parts) assert.match(part, /\n\n\*\*Do\*\*: .{40}/)
  })

  it("is raised, each alert, by a whole worker whose cause was made", () => {
    const tests = under("test").map(read).join("\n")
    assert.deepStrictEqual(
      rules.map(({ name }) => name).filter((name) => !tests.includes(`raises("${name}"`)),
      []
    )
  })

  const name = "fires where something is wrong, and not where all is well"
  it.skipIf(isWithoutPromtool !== undefined)(
    isWithoutPromtool === undefined ? name : `${name} (skipped: ${isWithoutPromtool})`,
    async () => {
      const names = rules.map((rule) => rule.name)
      const cases = [
        { values: 0, firing: [] },
        { values: 1, firing: names.filter((each) => each !== "SiteledgerGone") },
        { values: undefined, firing: ["SiteledgerGone"] }
      ] as const
      const { code, said } = await testRules({ "rules.yml": rulesText }, JSON.stringify(tests(cases)))
      assert.strictEqual(code, 0, said)
    }
  )
})

describe("ops/grafana-dashboard.json", () => {
  const { panels, templating } = JSON.parse(readFileSync(join(root, "ops/grafana-dashboard.json"), "utf8")) as {
    readonly panels: ReadonlyArray<{
      readonly id: number
      readonly title: string
      readonly targets?: ReadonlyArray<{ readonly expr: string }>
    }>
    readonly templating: { readonly list: ReadonlyArray<{ readonly name: string }> }
  }
  const expressions = panels.flatMap(({ targets = [], title }) => targets.map(({ expr }) => ({ title, expr })))

  it("shows metrics, labels and variables that there are, each panel its own", () => {
    assert.strictEqual(new Set(panels.map(({ id }) => id)).size, panels.length)
    const variables = new Set(templating.list.map(({ name }) => name).concat("__rate_interval"))
    for (const { expr, title } of expressions) {
      const used = [...expr.matchAll(/\b((?:siteledger|process)_\w+?)(?:_bucket)?(?=\{)/g)].map(([, name]) => name)
      assert.isNotEmpty(used, title)
      const known = all.filter(({ name }) => used.includes(name))
      assert.strictEqual(known.length, new Set(used).size, expr)
      const labels = ["le", "instance", "job", ...known.flatMap((each) => each.labels)]
      for (const [, by = ""] of expr.matchAll(/\bby \(([\w, ]+)\)/g))
        assert.includeMembers(labels, by.split(", "), expr)
      for (const [, name = ""] of expr.matchAll(/\$(\w+)/g)) assert.isTrue(variables.has(name), expr)
    }
  })
})

const constant = (value: number): string => `${value}x1800`
const growing = (perMinute: number): string => `0+${perMinute}x1800`
const slow = (name: string): ReadonlyArray<readonly [string, string, string]> => [
  [`${name}_bucket{le="10"}`, growing(10), constant(0)],
  [`${name}_bucket{le="30"}`, growing(10), growing(10)],
  [`${name}_bucket{le="+Inf"}`, growing(10), growing(10)]
]
const ofInstance = `instance="a",job="b"`

/** Of a worker that is well, and of one that isn't, a value for each minute of thirty hours. */
const worlds: ReadonlyArray<readonly [series: string, well: string, unwell: string]> = [
  [`siteledger_build_info{${ofInstance}}`, constant(1), constant(1)],
  [`process_resident_memory_bytes{${ofInstance}}`, constant(3e8), constant(2e9)],
  [`process_resident_memory_bytes{instance="another program",job="c"}`, constant(4e9), constant(4e9)],
  ["siteledger_status_ok", constant(1), constant(0)],
  [`siteledger_reasons_by_level{level="critical"}`, constant(0), constant(1)],
  [`siteledger_reasons_by_level{level="degraded"}`, constant(0), constant(1)],
  [`siteledger_reasons_by_level{level="notice"}`, constant(1), constant(0)],
  [`siteledger_leader{instance="a"}`, constant(1), constant(0)],
  [`siteledger_leader{instance="b"}`, constant(0), constant(0)],
  [`siteledger_receiver_deliveries_total{outcome="accepted"}`, growing(60), growing(60)],
  [`siteledger_receiver_deliveries_total{outcome="not_stored"}`, constant(3), growing(1)],
  [`siteledger_receiver_deliveries_total{outcome="rejected"}`, constant(900), growing(1)],
  ["siteledger_inbox_oldest_pending_seconds", constant(1), constant(90)],
  ["siteledger_inbox_quarantined", constant(0), constant(1)],
  ["siteledger_inbox_unposted", constant(0), constant(1)],
  [`siteledger_alarms_total{alarm="id_reused"}`, constant(7), growing(1)],
  ["siteledger_gaps_open", constant(0), constant(1)],
  [`siteledger_clock_skew_seconds{by="answers"}`, constant(-1), constant(-40)],
  [`siteledger_clock_skew_seconds{by="events"}`, constant(3600), constant(0)],
  [`siteledger_webhook_secrets{state="unreadable"}`, constant(0), constant(1)],
  ["siteledger_last_export_timestamp_seconds", growing(60), constant(0)],
  ["siteledger_last_event_timestamp_seconds", growing(60), growing(60)],
  ["siteledger_published_age_seconds", constant(300), constant(7200)],
  ["siteledger_backup_age_seconds", constant(15), constant(180)],
  ["siteledger_backup_verified_timestamp_seconds", growing(60), constant(-300_000)],
  [`siteledger_ledger_oldest_hold_seconds{reason="period-closed"}`, constant(3600), constant(300_000)],
  [`siteledger_lookups_total{resource="ipcs",outcome="done"}`, growing(60), growing(1)],
  [`siteledger_lookups_total{resource="ipcs",outcome="failed"}`, growing(1), growing(2)],
  [`siteledger_lookups_oldest_waiting_seconds{resource="ipcs"}`, constant(600), constant(3600)],
  ["siteledger_ledger_sink_dead", constant(0), constant(1)],
  ["siteledger_ledger_sink_oldest_pending_seconds", constant(20), constant(700)],
  ...slow("siteledger_delivery_visible_seconds"),
  ...slow("siteledger_ledger_posted_seconds")
]

const tests = (
  cases: ReadonlyArray<{ readonly values: 0 | 1 | undefined; readonly firing: ReadonlyArray<string> }>
) => ({
  rule_files: ["rules.yml"],
  evaluation_interval: "5m",
  tests: cases.map(({ firing, values }) => ({
    interval: "1m",
    input_series: values === undefined ? [] : worlds.map(([series, ...both]) => ({ series, values: both[values] })),
    promql_expr_test: [
      {
        expr: `group by (alertname) (ALERTS{alertstate="firing"})`,
        eval_time: "29h",
        exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 }))
      }
    ]
  }))
})
