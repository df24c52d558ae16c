/** A position computed from the probable facts about it equals the stored one. */
import { assert, describe, it } from "@effect/vitest"
import { positionIn, rowOf } from "../../../src/Ledger/CertifiedOrder/Neighbours.ts"
import type { Position } from "../../../src/Ledger/Fold/Position.ts"

type Certificates = Position["certificates"]

const certificates: Certificates = [
  { at: "2026-01-01T00:00:00.000000Z", units: -17_500n },
  { at: 'a "quoted" time \\ Gdańsk', units: 10n ** 27n }
]
const position: Position = { ipcId: "IPC-1", projectId: "7", firstAt: "2026-01-01T00:00:00.000000Z", certificates }

/** As a fact has them that somebody has changed. */
const numbers = [{ at: certificates[0]!.at, units: -17_500 }] as unknown as Certificates

describe("the position of a certified IPC", () => {
  it("is stored as JSON that says its amounts as text, and read again", () => {
    const row = rowOf(position)
    assert.deepStrictEqual(
      JSON.parse(row.certificates),
      certificates.map(({ at, units }) => ({ at, units: String(units) }))
    )
    assert.deepStrictEqual(positionIn(row), position)
  })

  it("has the known certificates only where these are what is stored", () => {
    assert.strictEqual(positionIn(rowOf(position), certificates).certificates, certificates)
    const others: ReadonlyArray<Certificates> = [
      [],
      certificates.slice(0, 1),
      certificates.toReversed(),
      certificates.map(({ at, units }) => ({ at, units: units + 1n })),
      certificates.map(({ units }) => ({ at: "2026-01-02T00:00:00.000000Z", units }))
    ]
    for (const known of others) assert.deepStrictEqual(positionIn(rowOf(position), known), position)
    const one: Position = { ...position, certificates: certificates.slice(0, 1) }
    assert.deepStrictEqual(positionIn(rowOf(one), numbers), one)
  })
})
