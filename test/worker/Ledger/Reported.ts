/** The reports that a bookkeeper prints, beside the books. */
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { storeBooks } from "./Kept.ts"
import { type Manual, text } from "./Manual.ts"

/** The account of each line of a trial balance, and its balance. */
const balances = (csv: string): ReadonlyArray<string> =>
  csv
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => [line.split(",")[2], line.split(",").at(-1)].join(" "))

export const reported = async (world: World, manual: Manual): Promise<void> => {
  const trial = (day: string) => manual.run("report trial-balance --as-of DAY --csv", { DAY: day })
  const posted = (await storeBooks(world)).entries.reduce((sum, { amount }) => sum + Number(amount), 0).toFixed(4)
  assert.deepStrictEqual(balances(text(await trial("2026-10-31"))), [`bank ${posted}`, `receivable -${posted}`])
  assert.deepStrictEqual(balances(text(await trial("2026-10-04"))), [])
  assert.match((await trial("2026-02-30")).stderr, /Say the day like 2026-09-30/)
  const month = await world.run("report", "balances", "--account", "bank", "--month", "2026-10", "--csv")
  assert.deepStrictEqual(
    [
      ...new Set(
        month.stdout
          .trim()
          .split("\r\n")
          .map((line) => line.split(",")[5])
      )
    ],
    ["month", "2026-10"]
  )
  assert.match((await world.run("report", "aged", "--month", "2026-10")).stderr, /Only the report balances/)
  assert.match(
    text(await manual.run("report balances --project PROJECT --month MONTH", { PROJECT: "none", MONTH: "2026-10" })),
    /nothing to report/
  )
  assert.match(text(await manual.run("report statement")), new RegExp(`${posted}`))
  assert.match(text(await manual.run("report aged")), /^ipc|-4\.0000/m)
  assert.match(text(await manual.run("report unposted")), /second-payment-reference/)
  assert.match(text(await manual.run("report repaired")), /^list walked +projects /m)
}
