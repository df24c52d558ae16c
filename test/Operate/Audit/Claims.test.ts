/**
 * Any change of what an event says about an IPC changes its claim, and the money is the same however often it is told.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Fact } from "../../../src/Ledger/Fact.ts"
import { Claims } from "../../../src/Operate/Audit/Claims.ts"
import { newKey } from "../../../src/Operate/Audit/KeyedHash.ts"

const numbering = new Claims(newKey())

const common = { number: 1, ipcId: "IPC-1", knownAt: "2026-11-20T02:00:00.000000Z", eventId: "event-1" }
const certificate: Fact = {
  ...common,
  kind: "certificate",
  at: "2026-11-01T00:00:00.000000Z",
  units: 50n,
  url: "https://a"
}
const payment: Fact = { ...common, kind: "payment", at: "2026-11-02T00:00:00.000000Z", reference: "PAY-1" }
const project: Fact = { ...common, kind: "project", projectId: "7", version: "1" }

const others: ReadonlyArray<readonly [Fact, ReadonlyArray<Fact>]> = [
  [
    certificate,
    [
      { ...certificate, at: "2026-11-01T00:00:00.000001Z" },
      { ...certificate, units: 51n },
      { ...certificate, url: "https://b" },
      { ...certificate, url: null }
    ]
  ],
  [
    payment,
    [
      { ...payment, at: "2026-11-02T00:00:00.000001Z" },
      { ...payment, reference: "PAY-2" },
      { ...payment, units: 50n }
    ]
  ],
  [project, [{ ...project, projectId: "8" }]]
]

const claims = (facts: ReadonlyArray<Fact>) => facts.map((fact) => numbering.of(fact, true)?.claim)
const money = (fact: Fact) => numbering.of(fact, true)?.money

describe("what facts say", () => {
  it.each(others)("is another claim with any other value: $kind", (fact, changed) => {
    const elsewhere = { ipcId: "IPC-2", knownAt: "2026-11-20T02:00:00.000001Z", eventId: "event-2" }
    const all = [
      fact,
      ...changed,
      ...Object.entries(elsewhere).map(([name, value]): Fact => ({ ...fact, [name]: value }))
    ]
    assert.strictEqual(new Set(claims(all)).size, all.length)
    assert.strictEqual(new Set([...claims([fact]), numbering.of(fact, false)?.claim]).size, 2)
    assert.deepStrictEqual(claims([{ ...fact, number: 2 }]), claims([fact]))
  })

  it("is the same money by whichever event, and of a payment at whatever time", () => {
    const again = { eventId: "event-2", knownAt: "2026-11-21T00:00:00.000000Z" }
    assert.strictEqual(money({ ...certificate, ...again }), money(certificate))
    assert.strictEqual(money({ ...payment, ...again, at: certificate.at }), money(payment))
    assert.notStrictEqual(money({ ...certificate, units: 51n }), money(certificate))
    assert.notStrictEqual(money({ ...payment, units: 50n }), money(payment))
    assert.strictEqual(numbering.of({ ...payment, units: 50n }, true)?.unsaid, money(payment))
    assert.isUndefined(money(project))
  })

  it("is nothing if no event tells of it", () => {
    const { eventId: _, ...byPerson } = certificate
    assert.isUndefined(numbering.of(byPerson, true))
    const opening: Fact = { ...common, kind: "opening", units: 1n, by: "Ada", certificate: "C-1" }
    assert.isUndefined(numbering.of(opening, true))
  })
})
