/** Every format hands out what it was given at once, so that memory doesn't grow with the journal. */
import { assert, describe, it } from "@effect/vitest"
import { formats, names } from "../../../src/Ledger/Files/Formats.ts"
import { laidOut } from "../../../src/Ledger/Files/PostingDays.ts"
import { seeded } from "../../Seeded.ts"
import * as Journals from "./Journals.ts"

const chart = Journals.chart({ bank: "1200", receivable: "1100" })
const made = { count: 1000, currencies: ["EUR"], accounts: Object.keys(chart.accounts), mostUnits: 10n ** 12n }
const longestEnd = 4096

describe.each(names)("a file for %s", (name) => {
  it("is handed out as it is made, and the same journal gives the same bytes", () => {
    const entries = Journals.inOrder(Journals.rows(seeded(1), made)).map((row) => laidOut(row, chart))
    const writer = formats[name]()
    writer.begin()
    for (let from = 0; from < entries.length; from += 100) {
      const added = writer.add(entries.slice(from, from + 100))
      assert.isAbove(added._tag === "Success" ? added.success.length : 0, 1000)
    }
    assert.isBelow(writer.end().length, longestEnd)
    const [one, another] = [Journals.fileOf(formats[name], entries), Journals.fileOf(formats[name], entries)]
    assert.isTrue(one.bytes.equals(another.bytes))
  })
})
