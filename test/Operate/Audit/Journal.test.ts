/**
 * The journal of the newest export compared with the books: any change of any line is found, and the entry is named.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { inExport } from "../../../src/Operate/Audit/Journal.ts"
import { accrued, takenBack, withheld } from "../../connectors/Entries.ts"
import { inWorld, readExport, run } from "../../Lake/ExportWorld.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { copy, hear, keep, payment } from "../../Ledger/Started.ts"

/** A payment by its events, an accrual, the same taken back, and a payment with a tax withheld. */
const books = Effect.gen(function* () {
  yield* hear(payment("A"))
  yield* keep([accrued, takenBack, withheld])
  yield* copy
}).pipe(Effect.provide(Layer.merge(Ledger.layerWith(contractor), Copies.layer)))

const changes: Readonly<Record<string, readonly [from: string | RegExp, to: string, entry: string]>> = {
  "a third line's amount": [",revenue,0.0000,1000.0000,", ",revenue,0.0000,999.0000,", "2"],
  "a second line's account": [",retention,50.0000,", ",escrow,50.0000,", "2"],
  "a line less": [/^.*,withholding,.*\r\n/m, "", "4"],
  "two lines that changed places": [/(^.*,VAT,190\.0000.*\r\n)(^.*,revenue,1000\.0000.*\r\n)/m, "$2$1", "3"]
}

describe("a journal that was exported", () => {
  it.effect.each(Object.entries(changes))("with %s is found, and the entry named", ([, [from, to, entry]]) =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* books
        yield* run
        assert.deepStrictEqual(yield* inExport, [])
        const path = join(world.lake, readExport(world).journal ?? "")
        const text = readFileSync(path, "utf8")
        const changed = text.replace(from, to)
        assert.notStrictEqual(changed, text)
        writeFileSync(path, changed)
        const found = yield* inExport
        assert.lengthOf(found, 1)
        assert.match(found[0] ?? "", new RegExp(`-journal\\.csv on .* differs from the books at entry ${entry}\\.$`))
      })
    )
  )
})
