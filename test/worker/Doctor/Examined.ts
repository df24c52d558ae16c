/** The findings of `siteledger doctor`, run as a person would, and what must hold for each of them. */
import { assert } from "@effect/vitest"
import type { Finding } from "../../../src/Operate/Doctor.ts"
import { type Environment, run } from "../../RunningWorker.ts"

export const examined = async (given: Environment) => {
  const { code, stderr, stdout } = await run(given, "doctor", "--json")
  const report = JSON.parse(stdout) as { ok: boolean; findings: ReadonlyArray<Finding> }
  assert.strictEqual(code, report.ok ? 0 : 1, stderr)
  for (const { sentence } of report.findings) assert.match(sentence, /\.$/)
  const of = (verdict: Finding["verdict"]) =>
    report.findings.flatMap((each) =>
      each.verdict === verdict ? [`${each.check}: ${[each.sentence, each.advice].join(" ").trim()}`] : []
    )
  return { ok: of("ok"), warnings: of("warn").filter((line) => !/GiB are free/.test(line)), failed: of("fail") }
}

export const includes = (lines: ReadonlyArray<string>, pattern: RegExp) =>
  assert.isTrue(
    lines.some((line) => pattern.test(line)),
    `${String(pattern)} in ${lines.join("\n")}`
  )

export const named = (lines: ReadonlyArray<string>) => lines.map((line) => line.split(":")[0])
