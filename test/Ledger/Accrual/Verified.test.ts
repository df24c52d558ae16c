/** Each change of a line that someone with the file could plant is found and named. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Terms } from "../../../src/Ledger/Fact.ts"
import { certified, folder, hear, opened, started, verified } from "../Started.ts"
import { terms, vat } from "./Accruing.ts"

describe("verify finds, of an entry with four lines,", () => {
  const retained = { ...vat, name: "retention", percent: "-50000", account: "retention" }
  const four: Terms = { ...terms, certificates: { standard: "each", payable: [retained, vat], byProject: {} } }

  it.effect.each([
    [
      "an amount moved between two",
      "'50.0000'",
      "'40.0000'",
      /"retention 40\.0000".* in the books and .*"retention 50\.0000"/
    ],
    ["an account renamed", "'retention'", "'escrow'", /"escrow 50\.0000".* in the books and .*"retention 50\.0000"/],
    ["an amount changed in its last digit", "'-1000.0000'", "'-1000.0001'", /"revenue -1000\.0001".* in the books and /]
  ] as const)("%s", ([, from, to, words]) =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, hear([certified("A", 1, 10, "1000.0000")]), four)
      assert.deepStrictEqual((yield* started(path, verified, four)).differences, [])
      const database = opened(path)
      database.exec(`update ledger_entries set lines = replace(lines, ${from}, ${to})`)
      database.close()
      const [difference = "", chain = "", ...others] = (yield* started(path, verified, four)).differences
      assert.match(difference, /^IPC A: entry \w+ has lines \[.*\] by the facts\.$/)
      assert.match(difference, words)
      assert.match(chain, /^The chain breaks at fact 1/)
      assert.deepStrictEqual(others, [])
    }).pipe(Effect.scoped)
  )
})
