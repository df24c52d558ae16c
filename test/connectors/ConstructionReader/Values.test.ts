import { assert, describe, it } from "@effect/vitest"
import { merge } from "../../../src/Domain/Merge.ts"
import { byName } from "../../../src/Domain/Resource.ts"
import { read as readEvent } from "../../../connectors/construction/ConstructionReader.ts"
import { applied, at, atMicros, contentOf, eventOf, flat, json, now, plain, read, assertQuarantined } from "./Bodies.ts"

const money: ReadonlyArray<readonly [type: string, field: string, column: string]> = [
  ["ipc.created", "draft_amount", "draft_amount"],
  ["ipc.submitted", "amount", "submitted_amount"],
  ["ipc.certified", "certified_amount", "certified_amount"],
  ["vo.priced", "total_cost_impact", "total_cost_impact"],
  ["vo.agreed", "final_amount", "final_amount"]
]

describe("amounts", () => {
  it("are exact from source text to 24 digits, as numbers and as strings", () => {
    const exact = {
      "999999999999999999999999.9999": "999999999999999999999999.9999",
      "-999999999999999999999999.9999": "-999999999999999999999999.9999",
      "9007199254740993": "9007199254740993.0000",
      "0.1": "0.1000",
      "100.10": "100.1000",
      "1.5e3": "1500.0000",
      "-0.0": "0.0000",
      "1.00000": "1.0000"
    }
    for (const [type, field, column] of money) {
      for (const [text, canonical] of Object.entries(exact)) {
        for (const written of [text, `"${text}"`]) {
          const change = applied(read(flat({ ...contentOf(type), [field]: written })), type, written)
          assert.strictEqual(change.values[column], canonical, `${type} ${written}`)
        }
      }
    }
  })

  it("that don't fit wait, with their entity known", () => {
    const wrong = [
      "1e24",
      '"1000000000000000000000000"',
      "0.00001",
      '"1,000"',
      '""',
      "true",
      "[1]",
      '{"value":1,"currency":"EUR"}'
    ]
    for (const [type, field] of money) {
      for (const text of wrong) {
        const reading = read(flat({ ...contentOf(type), [field]: text }))
        assertQuarantined(reading, "amount-does-not-fit", `${type} ${text}`)
        assert.deepInclude(reading, {
          type,
          eventTimestamp: at,
          entityId: `${type.startsWith("ipc") ? "IPC-7" : "VO-1"}`
        })
      }
    }
  })

  it("that don't fit wait even if the event isn't about them", () => {
    assertQuarantined(
      read(flat({ ...contentOf("ipc.paid"), draft_amount: '"lots"', event_type: '"ipc.paid"' })),
      "amount-does-not-fit"
    )
  })

  it("are null when null, and unknown fields if the event's type has none of that name", () => {
    const change = applied(
      read(flat({ ...contentOf("ipc.paid"), certified_amount: "null", amount: "1.50" })),
      "ipc.paid"
    )
    assert.isNull(change.values["certified_amount"])
    assert.deepEqual({ ...change.extra }, { amount: "1.50" })
  })

  it("of a payment come from the name that an alias says, in no other event", () => {
    const options = { ...plain, aliases: { paid_amount: ["amount"] } }
    const readAs = (type: string) =>
      applied(readEvent(options, eventOf(flat({ ...contentOf(type), amount: "900000.25" })), atMicros), type)
    assert.deepInclude(readAs("ipc.paid").values, { payment_reference: "PAY-1", paid_amount: "900000.2500" })
    assert.notProperty(readAs("ipc.submitted").values, "paid_amount")
    assert.deepEqual({ ...readAs("ipc.certified").extra }, { amount: "900000.25" })
    const unread = readEvent(options, eventOf(flat({ ...contentOf("ipc.paid"), amount: '"n/a"' })), atMicros)
    assertQuarantined(unread, "amount-does-not-fit")
  })

  it("of a payment are none of ours without an alias, whatever they are", () => {
    const change = applied(read(flat({ ...contentOf("ipc.paid"), paid_amount: '"n/a"' })), "ipc.paid")
    assert.notProperty(change.values, "paid_amount")
    assert.deepEqual({ ...change.extra }, { paid_amount: '"n/a"' })
  })

  it("of a submission come from `amount` before `submitted_amount`", () => {
    const change = applied(read(flat({ ...contentOf("ipc.submitted"), submitted_amount: "1.50" })), "ipc.submitted")
    assert.strictEqual(change.values["submitted_amount"], "900000.2500")
    assert.deepEqual({ ...change.extra }, { submitted_amount: "1.50" })
  })
})

describe("event_timestamp", () => {
  const paid = (timestamp: string | undefined) =>
    json({ ...contentOf("ipc.paid"), ...(timestamp === undefined ? {} : { event_timestamp: timestamp }) })

  it("is ISO 8601, or Unix seconds or milliseconds", () => {
    const whole = "2025-11-20T00:53:20.000000Z"
    const forms = {
      '"2025-11-20T00:53:20Z"': whole,
      '"2025-11-20T01:53:20+01:00"': whole,
      "1763600000": whole,
      '"1763600000"': whole,
      "1763600000000": whole,
      "1.7636E9": whole,
      "1763600000.123456": "2025-11-20T00:53:20.123456Z",
      '"2025-11-20T00:53:20.123456789Z"': "2025-11-20T00:53:20.123456Z"
    }
    for (const [text, canonical] of Object.entries(forms)) {
      const reading = read(paid(text))
      assert.strictEqual(reading.eventTimestamp, canonical)
      assert.strictEqual(applied(reading, "ipc.paid").values["paid_at"], canonical, text)
    }
  })

  it("that is missing or isn't a time leaves the event waiting", () => {
    for (const text of [undefined, "null", '""', '"soon"', '"2026-02-30T00:00:00Z"', "-1", "{}", "true", "1e99"]) {
      const reading = read(paid(text))
      assertQuarantined(reading, "no-event-time", text)
      assert.deepInclude(reading, { type: "ipc.paid", entityId: "IPC-7", eventTimestamp: null })
    }
  })

  it("may be a day ahead, and not a microsecond more", () => {
    const day = 86_400_000_000
    const event = eventOf(paid(`"${at}"`))
    applied(readEvent(plain, event, atMicros - day), "ipc.paid")
    const ahead = readEvent(plain, event, atMicros - day - 1)
    assertQuarantined(ahead, "event-time-ahead")
    assert.strictEqual(ahead.eventTimestamp, at)
    applied(readEvent(plain, eventOf(paid("0")), now), "ipc.paid")
    assertQuarantined(read(paid('"9999-12-31T23:59:59Z"')), "event-time-ahead")
  })
})

describe("values that don't fit their column", () => {
  const misfits: ReadonlyArray<readonly [type: string, field: string, column: string, text: string]> = [
    ["ipc.created", "project_id", "project_id", '"P-1"'],
    ["ipc.paid", "payment_reference", "payment_reference", '{"no":1.50,"of":[1e5]}'],
    ["vo.agreed", "time_impact", "time_impact", '{"days":14.0}'],
    ["vo.absorbed", "new_boq_revision", "boq_revision", "[1.0]"],
    ["ncr.closed", "closure_date", "closure_date", '"2026-02-30"'],
    ["ncr.closed", "closure_date", "closure_date", "1763600000"],
    ["permit.issued", "type", "permit_type", '["hot","work"]'],
    ["permit.expiring", "hours_until_expiry", "hours_until_expiry", "0.001"],
    ["dms.transmittal.sent", "document_count", "document_count", "3.50"]
  ]

  it("are null in it, and kept to the letter", () => {
    for (const [type, field, column, text] of misfits) {
      const { boq_revision: _, ...rest } = contentOf(type)
      const reading = read(flat({ ...rest, [field]: text }))
      const change = applied(reading, type, text)
      assert.isNull(change.values[column], column)
      assert.deepEqual({ ...change.misfits }, { [column]: text })
      assert.strictEqual(reading.misfits, 1)
      assert.deepEqual({ ...change.extra }, {}, column)
      const row = merge(byName(change.entity), undefined, [change])
      assert.strictEqual(row?.["_extra"], `{"${column}":${text}}`)
    }
  })

  it("end in the same row as an id that is an object, in either order", () => {
    const changes = ['{"id":5,"name":"Pier"}', '"P-1"', "7"].map((project, index) =>
      applied(
        read(json({ ncr_id: "1", severity: '"x"', event_timestamp: `${1_763_600_000 + index}`, project_id: project })),
        "ncr.created"
      )
    )
    for (const count of [2, 3]) {
      const some = changes.slice(0, count)
      const rows = [some, some.toReversed()].map((order) => merge(byName("ncrs"), undefined, order))
      assert.deepStrictEqual(rows[1], rows[0])
      assert.strictEqual(rows[0]?.["_extra"], count === 2 ? '{"project_id":"P-1"}' : null)
    }
  })
})

describe("unknown fields", () => {
  it("are kept to the letter, numbers too", () => {
    const unknown = {
      a: "1.50",
      big: "12345678901234567890",
      small: "0.0000001",
      exponent: "1E5",
      zero: "-0",
      nothing: "null",
      text: '"é\\n\\"😀"',
      nested: '{"b":[1.0,{"c":2.00}],"__proto__":{"x":1}}',
      __proto: "true",
      constructor: '"c"',
      status: '"void"',
      id: "99",
      created_at: '"noon"'
    }
    const proto = `"__proto__":{"polluted":1.50}`
    const body = flat({ ...contentOf("ipc.paid"), ...unknown }).replace("{", `{${proto},`)
    const change = applied(read(body), "ipc.paid")
    assert.deepEqual({ ...change.extra }, { ...unknown, ["__proto__"]: '{"polluted":1.50}' })
    const row = merge(byName("ipcs"), undefined, [change])
    for (const [name, text] of Object.entries(unknown)) assert.include(row?.["_extra"] ?? "", `"${name}":${text}`)
    assert.include(row?.["_extra"] ?? "", proto)
    assert.deepInclude(row, { id: "IPC-7", status: "paid", created_at: null })
    assert.notProperty({}, "polluted")
  })

  it("are found in every place, the outermost first", () => {
    const body = json({
      event_timestamp: `"${at}"`,
      a: "1",
      data: json({ ...contentOf("ipc.paid"), a: "2", b: "3", payload: '{"c":1}' }),
      payload: json({ b: "4", d: "5", data: "6" })
    })
    assert.deepEqual(
      { ...applied(read(body), "ipc.paid").extra },
      { a: "1", b: "3", payload: '{"c":1}', d: "5", data: "6" }
    )
  })

  it("are data and payload when these hold no object", () => {
    for (const text of ["[]", '"x"', "null", "1.0"]) {
      const change = applied(read(flat({ ...contentOf("ipc.paid"), data: text, payload: text })), "ipc.paid")
      assert.deepEqual({ ...change.extra }, { data: text, payload: text })
    }
  })

  it("are not the envelope: the type, the time and the key", () => {
    for (const name of ["event_type", "event", "type"]) {
      assert.deepEqual(
        { ...applied(read(flat({ ...contentOf("ipc.paid"), [name]: '"ipc.paid"' })), "ipc.paid").extra },
        {}
      )
    }
    const change = applied(
      read(flat({ ...contentOf("ipc.paid"), event: '{"id":1.0}', type: '"progress"' })),
      "ipc.paid"
    )
    assert.deepEqual({ ...change.extra }, { event: '{"id":1.0}', type: '"progress"' })
  })
})
