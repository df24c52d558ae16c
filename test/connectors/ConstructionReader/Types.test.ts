import { assert, describe, it } from "@effect/vitest"
import { forSeeds } from "../../Seeded.ts"
import {
  applied,
  at,
  contentOf,
  envelopes,
  type Fields,
  flat,
  json,
  plain,
  read,
  sha256,
  trusting,
  types,
  assertQuarantined
} from "./Bodies.ts"

/** Design §6, row by row: the fields that each type needs, in addition to an id. */
const table: ReadonlyArray<readonly [fields: Fields, type: string]> = [
  [{ ipc_id: "1", draft_amount: "1" }, "ipc.created"],
  [{ ipc_id: "1", submitter: '"ann"', amount: "1" }, "ipc.submitted"],
  [{ ipc_id: "1", certified_amount: "1" }, "ipc.certified"],
  [{ ipc_id: "1", payment_reference: '"r"' }, "ipc.paid"],
  [{ vo_id: "1", total_cost_impact: "1" }, "vo.priced"],
  [{ vo_id: "1", final_amount: "1" }, "vo.agreed"],
  [{ vo_id: "1", boq_revision: "1" }, "vo.absorbed"],
  [{ vo_id: "1", description: '"d"' }, "vo.created"],
  [{ ncr_id: "1", severity: '"minor"' }, "ncr.created"],
  [{ ncr_id: "1", closure_date: '"2026-11-19"' }, "ncr.closed"],
  [{ incident_id: "1", classification: '"fall"' }, "hse.incident.reported"],
  [{ permit_id: "1", validity: '"1 day"' }, "permit.issued"],
  [{ permit_id: "1", hours_until_expiry: "5" }, "permit.expiring"],
  [{ transmittal_id: "1", recipients: "[]" }, "dms.transmittal.sent"],
  [{ transmittal_id: "1", document_count: "0" }, "dms.transmittal.sent"]
]

const whole = (...names: ReadonlyArray<string>): Fields => Object.assign({}, ...names.map(contentOf)) as Fields

/** Whole records of one entity, each proving the types up to the last one. */
const wholeIpc = whole("ipc.created", "ipc.submitted", "ipc.certified", "ipc.paid")
const wholeVo = whole("vo.created", "vo.priced", "vo.agreed", "vo.absorbed")
const records: ReadonlyArray<readonly [record: Fields, furthest: string, others: ReadonlyArray<string>]> = [
  [wholeIpc, "ipc.paid", ["ipc.created", "ipc.submitted", "ipc.certified"]],
  [{ ...wholeIpc, payment_reference: "null" }, "ipc.certified", ["ipc.created", "ipc.submitted"]],
  [wholeVo, "vo.absorbed", ["vo.created", "vo.priced", "vo.agreed"]],
  [whole("ncr.created", "ncr.closed"), "ncr.closed", ["ncr.created"]],
  [whole("permit.issued", "permit.expiring"), "permit.expiring", ["permit.issued"]]
]

const strangers = [null, "", "ipc.voided", "IPC.PAID", "webhook.ping"]

describe("distinctive fields", () => {
  for (const [fields, type] of table) {
    const names = Object.keys(fields).slice(1)
    it(`${names.join(" and ")} prove ${type}, and fewer don't`, () => {
      for (const envelope of Object.values(envelopes)) applied(read(envelope(fields)), type)
      for (const name of names) {
        const { [name]: _, ...rest } = fields
        assertQuarantined(read(flat(rest)), "type-not-provable")
        assertQuarantined(read(flat({ ...fields, [name]: "null" })), "type-not-provable")
        assertQuarantined(read(flat({ ...rest, event_type: JSON.stringify(type) }), type), "type-not-provable")
        assertQuarantined(read(flat({ ...fields, [name]: "null" }), type, trusting), "type-not-provable")
      }
    })
  }

  it("are complete: the table has each event type", () => {
    assert.sameMembers([...new Set(table.map(([, type]) => type))], types)
  })

  it("count when they are zero, false or empty", () => {
    for (const value of ["0", "false", '""', "[]", "{}"]) {
      applied(read(flat({ ipc_id: "1", payment_reference: value })), "ipc.paid")
    }
  })
})

describe("a declared type", () => {
  it("chooses among the proven ones, under any header", () => {
    for (const [record, furthest, others] of records) {
      for (const type of [furthest, ...others]) {
        for (const header of [...types, ...strangers]) {
          const reading = read(envelopes["data"]?.(record, { event_type: JSON.stringify(type) }) ?? "", header)
          applied(reading, type, `${type} under ${header}`)
          assert.strictEqual(reading.relabelled, header !== null && header !== type)
        }
      }
    }
  })

  it("without its distinctive fields yields to the proven type", () => {
    for (const declared of types) {
      for (const proven of types.filter((type) => type !== declared)) {
        const body = envelopes["data"]?.(contentOf(proven), { event_type: JSON.stringify(declared) }) ?? ""
        applied(read(body, declared), proven, `${declared}, but ${proven}`)
        assert.isTrue(read(body, declared).relabelled)
      }
    }
  })

  it("that is unknown waits, even with a proven type, under any header", () => {
    for (const name of ["event_type", "event"]) {
      for (const header of ["ipc.paid", ...strangers]) {
        for (const options of [plain, trusting]) {
          const reading = read(flat({ ...contentOf("ipc.paid"), [name]: '"ipc.voided"' }), header, options)
          assertQuarantined(reading, "unknown-type")
          assert.deepInclude(reading, { type: header, eventTimestamp: at, entity: null, relabelled: false })
        }
      }
    }
  })

  it("counts as missing if `type` holds something else, or the field holds no text", () => {
    for (const fields of [
      { type: '"progress"' },
      { event_type: "null" },
      { event: '{"n":1}' },
      { event: "7" },
      { type: "7" }
    ]) {
      applied(read(flat({ ...contentOf("ipc.paid"), ...fields })), "ipc.paid")
    }
  })
})

describe("a whole record", () => {
  it("is the furthest stage when the header names it too, and waits otherwise", () => {
    for (const [record, furthest, others] of records) {
      const body = flat(record)
      assert.isFalse(read(body, furthest).relabelled)
      applied(read(body, furthest), furthest)
      const unproven = types.filter((type) => type !== furthest && !others.includes(type))
      for (const header of [...others, ...unproven, ...strangers])
        assertQuarantined(read(body, header), "type-not-provable", `${header}`)
    }
  })

  it("has the header's type, if that is proven and the header is trusted", () => {
    for (const [record, furthest, others] of records) {
      for (const type of [furthest, ...others]) applied(read(flat(record), type, trusting), type)
      const unproven = types.filter((type) => type !== furthest && !others.includes(type))
      for (const header of [...unproven, ...strangers])
        assertQuarantined(read(flat(record), header, trusting), "type-not-provable", `${header}`)
    }
  })

  it("sets all of its fields", () => {
    const { values } = applied(read(flat(wholeIpc), "ipc.paid"), "ipc.paid")
    assert.deepInclude(values, { project_id: "5", draft_amount: "1000000.5000", certified_amount: "800000.0000" })
    assert.notProperty(values, "certified_at")
  })
})

describe("types of two entities", () => {
  const both = flat(whole("ipc.paid", "vo.agreed"))

  it("wait, even when the header names one, unless the header is trusted", () => {
    for (const header of ["ipc.paid", "vo.agreed", "ncr.closed", ...strangers])
      assertQuarantined(read(both, header), "type-not-provable")
    for (const type of ["ipc.paid", "vo.agreed"]) applied(read(both, type, trusting), type)
    assertQuarantined(read(both, "ncr.closed", trusting), "type-not-provable")
  })

  it("are one when only one of the entities has an id", () => {
    for (const header of types)
      applied(read(flat({ ...contentOf("ipc.paid"), classification: '"x"' }), header), "ipc.paid")
  })
})

describe("a relabelled body", () => {
  it("is applied as the type that it proves, and flagged, for every pair of event types", () => {
    for (const type of types) {
      for (const envelope of Object.values(envelopes)) {
        const body = envelope(contentOf(type))
        const expected = applied(read(body, type), type)
        for (const header of [...types, ...strangers]) {
          for (const options of [plain, trusting]) {
            const reading = read(body, header, options)
            assert.deepStrictEqual(applied(reading, type, `${type} under ${header}`), expected)
            assert.strictEqual(reading.relabelled, header !== null && header !== type, `${type} under ${header}`)
          }
        }
      }
    }
  })
})

describe("a ping", () => {
  const pinged = {
    type: "webhook.ping",
    reason: null,
    change: undefined,
    entity: null,
    entityId: null,
    relabelled: false
  }

  it("is believed from the header when the body proves nothing", () => {
    for (const body of ["{}", '{"message":"hello"}', "", "not JSON", "[]", '"ping"', new Uint8Array([0xff])]) {
      assert.deepInclude(read(body, "webhook.ping"), pinged)
    }
  })

  it("is believed from the body, and flagged under another header", () => {
    for (const name of ["event_type", "event", "type"]) {
      const body = json({ [name]: '"webhook.ping"', event_timestamp: "1763600000" })
      for (const header of [null, "webhook.ping"]) assert.deepInclude(read(body, header), pinged)
      assert.deepInclude(read(body, "webhook.ping"), { eventTimestamp: "2025-11-20T00:53:20.000000Z" })
      assert.deepInclude(read(body, "ipc.paid"), { ...pinged, relabelled: true })
    }
  })

  it("never buries a body that proves a type, or declares one that it can't prove", () => {
    for (const type of types) {
      applied(read(flat(contentOf(type)), "webhook.ping"), type)
      assertQuarantined(read(json({ event_type: JSON.stringify(type) }), "webhook.ping"), "type-not-provable", type)
      const reference = flat({ event_type: JSON.stringify(type), ipc_id: "1", pay_ref: '"x"' })
      assertQuarantined(read(reference, "webhook.ping"), "type-not-provable", type)
    }
    assertQuarantined(read(flat({ event_type: '"ipc.voided"' }), "webhook.ping"), "unknown-type")
    for (const [record] of records) assertQuarantined(read(flat(record), "webhook.ping"), "type-not-provable")
  })
})

describe("headers", () => {
  it("never affect the change itself, for any body", () => {
    forSeeds(3000, (random) => {
      const fields = whole(...Array.from({ length: 1 + random.below(3) }, () => random.pick(types)))
      const head: Fields = random.chance(0.3)
        ? { [random.pick(["event", "type"])]: JSON.stringify(random.pick(types)) }
        : {}
      const body = random.pick(Object.values(envelopes))(fields, head)
      const changes = random.shuffle([...types, ...strangers]).map((header) => read(body, header).change)
      const [first, ...others] = changes.filter((change) => change !== undefined)
      for (const other of others) assert.deepStrictEqual(other, first, body)
      if (first !== undefined) assert.include(first.version, sha256(body).slice(0, 16))
    })
  })
})
