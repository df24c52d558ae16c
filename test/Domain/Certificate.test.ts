/**
 * The certificate in an answer about one record: exactly as written, only from the place that a person has named, and
 * with a sentence about anything that is missing.
 */
import { assert, describe, it } from "@effect/vitest"
import { certificateIn, type CertificatePlaces } from "../../src/Domain/Certificate.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as JsonPointer from "../../src/Domain/JsonPointer.ts"

const places: CertificatePlaces = { id: "/ipc_id", amount: "/certified_amount", at: "/certified_at" }
const record = `{"ipc_id": "IPC-1", "certified_amount": 118750.25, "certified_at": "2026-03-01T10:00:00Z", "cur": "EUR",
  "links": {"pdf/1": "https://c/1"}, "project": 4711, "amount": 1}`

describe("a certificate", () => {
  it("is read from the places that are named, and from no others", () => {
    assert.deepStrictEqual(certificateIn(record, places), {
      id: "IPC-1",
      at: "2026-03-01T10:00:00.000000Z",
      units: 1_187_502_500n,
      currency: null,
      url: null,
      projectId: null
    })
    const more = { ...places, currency: "/cur", url: "/links/pdf~11", project: "/project" }
    const found = certificateIn(record, more)
    assert.deepInclude(found as object, { currency: "EUR", url: "https://c/1", projectId: "4711" })
  })

  it("is found in an envelope, under its whole place", () => {
    const inside = { id: "/data/ipc_id", amount: "/data/certified_amount", at: "/data/certified_at" }
    assert.deepInclude(certificateIn(`{"data": ${record}}`, inside) as object, { units: 1_187_502_500n })
  })

  it.each([
    ["123456789012345678901234.5678", 1_234_567_890_123_456_789_012_345_678n],
    ['"0.1000"', 1000n],
    ["1e3", 10_000_000n],
    ["-5", -50_000n]
  ])("has every digit of %s", (amount, units) => {
    const found = certificateIn(record.replace("118750.25", amount), places)
    assert.strictEqual(typeof found === "string" ? found : found.units, units)
  })

  it.each([
    ["{", "isn't JSON"],
    [record.replace("ipc_id", "id"), "has no id at /ipc_id"],
    [record.replace("118750.25", "null"), "has no certified amount at /certified_amount"],
    [record.replace("118750.25", "1.00005"), "has something at /certified_amount that isn't an amount"],
    [record.replace("118750.25", '"1,000.00"'), "has something at /certified_amount that isn't an amount"],
    [record.replace("2026-03-01T", "soon "), "has no date of its certificate at /certified_at"]
  ])("isn't made up: %s", (text, why) => assert.strictEqual(certificateIn(text, places), why))

  it.each(['"eur"', '"Euro"', "null", "7"])("has no currency %s, where one is asked for", (currency) => {
    const text = record.replace('"EUR"', currency)
    assert.strictEqual(certificateIn(text, { ...places, currency: "/cur" }), "has no currency at /cur")
  })

  it("leaves the prototype alone", () => {
    assert.isUndefined(JsonPointer.at(Json.parse("{}"), "/__proto__"))
    assert.isUndefined(JsonPointer.at(Json.parse("{}"), "/constructor/name"))
  })
})
