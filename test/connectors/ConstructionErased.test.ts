/**
 * What is left of a delivery about a record that is erased: it is still read as the same event with the facts that the
 * books rest on, and nothing else is left.
 */
import { assert, describe, it } from "@effect/vitest"
import { bodies, type Given } from "../../connectors/construction/ConstructionErased.ts"
import { byType, eventTypes, wires } from "../../connectors/construction/ConstructionEvents.ts"
import { read } from "../../connectors/construction/ConstructionReader.ts"
import * as Erasure from "../../src/Domain/Erasure.ts"
import { byName } from "../../src/Domain/Resource.ts"

const given = { aliases: { ipc_id: ["certificate_no"], project_id: ["site"] }, contentsAt: ["data.object"] }
const person = "Ada Lovelace"
const at = "2026-11-20T08:00:00Z"
const salt = "s"

const redactorOf = (...all: ReadonlyArray<Erasure.Named>): Erasure.Redactor =>
  Erasure.redactor(all.map((each) => Erasure.erased(each, salt))) ?? assert.fail("nothing is erased")

const readingOf = (body: string, headerType: string | null = null, as: Given = given) =>
  read(
    { ...as, trustTypeHeader: false, maximumBytes: 1e6 },
    {
      sequence: 1,
      bodySha256: "0".repeat(64),
      body: Buffer.from(body),
      eventId: "e",
      headerType,
      issuedAt: null,
      receivedAt: "2026-11-21T08:00:00.000000Z",
      deliveries: 1,
      replayed: false
    },
    Date.parse("2026-11-21T08:00:00Z") * 1000
  )

const left = (body: unknown, ...all: ReadonlyArray<Erasure.Named>): string | undefined =>
  Erasure.redactText(JSON.stringify(body), redactorOf(...all), bodies(given))

/** The books have these. */
const textOf = (name: string): string => (/_url$|_reference$/.test(name) ? "PAY-1" : person)

/** Everything that a type may bring, its proof among it, with more that no column holds. */
const contentsOf = (type: string): Record<string, unknown> => {
  const event = byType.get(type) ?? assert.fail(type)
  const columns = Object.entries({ ...wires[event.entity].fields, ...event.fields })
  const fields = columns.flatMap(([name, names]) => {
    const kind = byName(event.entity).columns[name]?.type ?? "JSON"
    const value = { BIGINT: 7, "DECIMAL(28,4)": 5.25, "DECIMAL(10,2)": 8, DATE: "2026-11-21", JSON: [person] }[
      kind as string
    ]
    return names.map((each) => [each, value ?? textOf(each)] as const)
  })
  const proofs = event.proof.flat().map((name) => [name, name.includes("amount") ? 5.25 : textOf(name)] as const)
  const more = { nested: { by: person, amount: 5 }, phone: 4915112345, note: person, seen: true, other_at: at }
  return { ...Object.fromEntries([...proofs, ...fields]), ...more, [wires[event.entity].key]: "17" }
}

describe("a delivery about an erased record", () => {
  for (const { entity, type } of eventTypes) {
    it(`of ${type} loses it, and is still read as the same event with the same amounts`, () => {
      for (const isInside of [false, true]) {
        const { type: own, ...contents } = contentsOf(type)
        const fields = entity === "permits" ? { ...contents, type: own ?? person } : contents
        const body = isInside
          ? { event_type: type, event_timestamp: at, data: { about: person, object: fields } }
          : { event_type: type, event_timestamp: at, ...fields }
        const less = left(body, { table: entity, id: "17" }) ?? assert.fail("nothing goes")
        assert.notInclude(less, person)
        assert.notInclude(less, "4915112345")
        const [before, after] = [readingOf(JSON.stringify(body)), readingOf(less)]
        const said = ({ entityId, eventTimestamp, isByLabel, reason, type }: typeof before) => ({
          entityId,
          eventTimestamp,
          isByLabel,
          reason,
          type
        })
        assert.deepStrictEqual(said(after), said(before))
        assert.strictEqual(after.reason, null)
        const kept = (values: Readonly<Record<string, string | null>> = {}) =>
          Object.entries(values).filter(
            ([name]) => /amount|impact$|_url|_reference|project_id|_at$/.test(name) && name !== "time_impact"
          )
        assert.deepStrictEqual(kept(after.change?.values), kept(before.change?.values))
        assert.deepStrictEqual(Object.keys(after.change?.values ?? {}), Object.keys(before.change?.values ?? {}))
        assert.isUndefined(left(JSON.parse(less), { table: entity, id: "17" }))
        assert.isUndefined(left(body, { table: entity, id: "1" }, { table: "projects", id: "17" }))
      }
    })
  }

  it("is found under other names, and where the type is proven or a header would choose it", () => {
    const body = {
      event_timestamp: at,
      data: { object: { certificate_no: 17, site: { id: 3, name: person }, payment_reference: "P" } }
    }
    const less = left(body, { table: "ipcs", id: "17" })
    assert.strictEqual(
      less,
      `{"event_timestamp":"${at}","data":{"object":{"certificate_no":17,"site":{"id":3,"name":"[erased]"},"payment_reference":"P"}}}`
    )
    assert.strictEqual(readingOf(less ?? "").change?.values["project_id"], "3")
    const both = { event_timestamp: at, ipc_id: 17, certified_amount: 1, payment_reference: "P", by: person }
    assert.include(left(both, { table: "ipcs", id: "17" }), '"by":"[erased]"')
    const several = { event_timestamp: at, ipc_id: 17, certified_amount: 1, vo_id: 9, description: person }
    assert.include(left(several, { table: "vos", id: "9" }), '"description":"[erased]"')
  })

  it("is still proven by a field that an alias finds inside an object, beside which all goes", () => {
    const nested: Given = { aliases: { severity: ["assessment.result.grade"] }, contentsAt: [] }
    for (const grade of ["major", 3, ["major", person], { of: person }]) {
      const assessment = { result: { grade, by: person }, at: { by: person }, phone: 4915112345 }
      const body = JSON.stringify({ event_timestamp: at, ncr_id: 5, assessment })
      assert.strictEqual(readingOf(body, null, nested).type, "ncr.created")
      const rule = redactorOf({ table: "ncrs", id: "5" })
      const less = Erasure.redactText(body, rule, bodies(nested)) ?? assert.fail("nothing goes")
      assert.deepStrictEqual(JSON.parse(less), {
        event_timestamp: at,
        ncr_id: 5,
        assessment: { result: { grade: "[erased]", by: "[erased]" }, at: "[erased]", phone: null }
      })
      assert.deepInclude(readingOf(less, null, nested), { type: "ncr.created", reason: null, entityId: "5" })
    }
  })

  it("that can't be read as being about any stays", () => {
    for (const body of [
      { event_type: "crane.moved", ipc_id: 17, by: person },
      { event_type: "webhook.ping", ipc_id: 17, by: person },
      { event_type: "ipc.paid", payment_reference: "P", by: person },
      [{ ipc_id: 17, payment_reference: "P", by: person }]
    ])
      assert.isUndefined(left(body, { table: "ipcs", id: "17" }), JSON.stringify(body))
  })

  it("loses what quarantine holds, too, if it says which record it is about", () => {
    const body = {
      event_type: "ipc.paid",
      event_timestamp: "2999-01-01T00:00:00Z",
      ipc_id: 17,
      payment_reference: "P",
      by: person
    }
    assert.strictEqual(readingOf(JSON.stringify(body)).reason, "event-time-ahead")
    const less = left(body, { table: "ipcs", id: "17" }) ?? ""
    assert.include(less, '"by":"[erased]"')
    assert.strictEqual(readingOf(less).reason, "event-time-ahead")
  })
})
