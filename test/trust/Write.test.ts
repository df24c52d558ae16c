/** The recorded results of a run of all attacks are the same on every machine. */
import { assert, it } from "@effect/vitest"
import type { Line } from "../../trust/Goal.ts"
import { placeless } from "../../trust/Write.ts"

it("a line names no folder of the machine that it was made on", () => {
  const line = (folder: string): Line => ({
    goal: "damage",
    engine: "duckdb",
    runs: 1,
    command: "npm run trust -- damage",
    violations: 1,
    seed: 1,
    seconds: 1,
    figures: { failed: { key: `${folder}/key can't be used` } },
    broken: [`the worker ended: ${folder} (SITELEDGER_DATA_DIR) can't be written to`]
  })
  for (const folder of [
    "/tmp/siteledger-trust-FMYAOp",
    "/var/folders/a-b/T/siteledger-trust-x1/",
    "/a/siteledger-trust-x-killed"
  ])
    assert.deepStrictEqual(placeless(line(folder.replace(/\/$/, ""))), line("DATA_DIR"))
})
