import { assert, describe, it } from "@effect/vitest"
import * as Version from "../../src/Domain/Version.ts"
import {
  applied,
  at,
  atMicros,
  contentOf,
  envelopes,
  type Fields,
  flat,
  json,
  plain,
  read,
  receivedAt,
  expectedChanges,
  sha256,
  types,
  assertQuarantined
} from "./ConstructionReader/Bodies.ts"

const stages: Readonly<Record<string, number>> = {
  "ipc.submitted": 2,
  "ipc.certified": 3,
  "ipc.paid": 4,
  "vo.priced": 2,
  "vo.agreed": 3,
  "vo.absorbed": 4,
  "ncr.closed": 2,
  "permit.expiring": 2
}

describe("every event type", () => {
  for (const type of types) {
    it(`${type} is read in each envelope, whether or not it is declared`, () => {
      for (const [name, envelope] of Object.entries(envelopes)) {
        for (const declaring of ["", "event_type", "event", "type"]) {
          // In a flat body, a permit's own type has the place of the event's.
          if (declaring in contentOf(type) && (name === "flat" || name === "all in data")) continue
          const body = envelope(contentOf(type), declaring === "" ? {} : { [declaring]: JSON.stringify(type) })
          const change = applied(read(body), type, body)
          assert.deepStrictEqual(
            { ...change },
            {
              ...expectedChanges[type],
              version: Version.make(atMicros, stages[type] ?? 1, sha256(body)),
              source: "event",
              seenAt: receivedAt,
              misfits: {},
              extra: Object.create(null) as object
            },
            body
          )
        }
      }
    })
  }

  it("has its time and its entity", () => {
    assert.deepInclude(read(flat(contentOf("ipc.paid")), "ipc.paid"), {
      type: "ipc.paid",
      relabelled: false,
      eventTimestamp: at,
      entity: "ipcs",
      entityId: "IPC-7",
      reason: null,
      misfits: 0
    })
  })

  it("keeps a time whole in whose column is its day", () => {
    const time = '"2026-11-19T16:30:00+01:00"'
    const closed = read(flat({ ncr_id: "12", closure_date: time }))
    const { misfits, values } = applied(closed, "ncr.closed", time)
    assert.strictEqual(values["closure_date"], "2026-11-19")
    assert.deepEqual({ ...misfits }, { closure_date: time })
    assert.strictEqual(closed.misfits, 0)
  })

  it("waits without the id of its entity", () => {
    for (const type of types) {
      const [key = ""] = Object.keys(contentOf(type))
      for (const id of ["null", '""', "1.5", "true", "[]", '{"id":1}', undefined]) {
        const { [key]: _, ...rest } = contentOf(type)
        // Without it, two types are no longer proven.
        const proves = !(["vo.created", "dms.transmittal.sent"].includes(type) && (id === undefined || id === "null"))
        const reading = read(flat(id === undefined ? rest : { ...rest, [key]: id }))
        assertQuarantined(reading, proves ? "no-key" : "type-not-provable", `${type} ${id}`)
        if (proves) assert.deepInclude(reading, { type, entityId: null, eventTimestamp: at })
      }
    }
  })
})

describe("ids", () => {
  it("are strings or integers, to the last digit", () => {
    for (const [text, id] of [
      ['"IPC-7"', "IPC-7"],
      ["7", "7"],
      ["123456789012345678901234567890", "123456789012345678901234567890"],
      ['" 7"', " 7"]
    ] as const) {
      assert.strictEqual(applied(read(flat({ ...contentOf("ipc.paid"), ipc_id: text })), "ipc.paid").id, id)
    }
  })

  it("are looked for at the top first", () => {
    const body = json({
      event_timestamp: `"${at}"`,
      ipc_id: "1",
      data: json({ ...contentOf("ipc.paid"), ipc_id: "2" })
    })
    assert.strictEqual(applied(read(body), "ipc.paid").id, "1")
  })
})

describe("a project", () => {
  const created = (project: Fields) =>
    applied(read(flat({ ipc_id: "1", draft_amount: "1", ...project })), "ipc.created")

  it("is an id, or an object with one", () => {
    for (const name of ["project_id", "project"]) {
      for (const text of ["5", '"5"', '{"id":5}', '{"id":"5","name":"Pier"}']) {
        assert.strictEqual(created({ [name]: text }).values["project_id"], "5", `${name} ${text}`)
      }
    }
  })

  it("is kept whole when it is more than an id", () => {
    assert.deepEqual({ ...created({ project: '{"id":5,"budget":1.50}' }).extra }, { project: '{"id":5,"budget":1.50}' })
    assert.deepEqual({ ...created({ project: "5" }).extra }, {})
  })

  it("is kept whole under its column if it has the column's name", () => {
    const whole = '{"id":5,"budget":1.50}'
    const change = created({ project_id: whole })
    assert.deepEqual({ ...change.misfits }, { project_id: whole })
    assert.deepEqual({ ...change.extra }, {})
    assert.strictEqual(read(flat({ ipc_id: "1", draft_amount: "1", project_id: whole })).misfits, 0)
  })

  it("is a misfit when no integer is in it", () => {
    for (const text of ['"P-1"', "1.5", "[5]", '{"name":"Pier"}', '{"id":"P-1"}', '{"id":null,"n":1.0}']) {
      const body = flat({ ipc_id: "1", draft_amount: "1", project_id: text })
      const change = applied(read(body), "ipc.created", text)
      assert.isNull(change.values["project_id"])
      assert.strictEqual(change.misfits["project_id"], text)
    }
  })

  it("sets nothing when it is absent, and null when it is null", () => {
    assert.notProperty(created({}).values, "project_id")
    assert.isNull(created({ project_id: "null" }).values["project_id"])
  })
})

describe("names", () => {
  it("may be new_boq_revision, as in the document", () => {
    const body = flat({ vo_id: '"VO-1"', new_boq_revision: '"D"' })
    const change = applied(read(body), "vo.absorbed")
    assert.strictEqual(change.values["boq_revision"], "D")
    assert.deepEqual({ ...change.extra }, {})
  })

  it("may be a permit's own type beside the event's type", () => {
    const own = { permit_id: '"P-1"', validity: '"7 days"' }
    const declared = { type: '"permit.issued"' }
    const time = { event_timestamp: `"${at}"` }
    for (const body of [
      json({ ...time, ...declared, data: json({ ...own, type: '"hot work"' }) }),
      json({ ...time, type: '"hot work"', data: json({ ...own, ...declared }) }),
      json({ ...time, event_type: '"permit.issued"', ...own, type: '"hot work"' }),
      json({ ...time, ...declared, ...own, permit_type: '"hot work"' })
    ]) {
      const change = applied(read(body), "permit.issued", body)
      assert.strictEqual(change.values["permit_type"], "hot work", body)
      assert.deepEqual({ ...change.extra }, {}, body)
    }
    assert.notProperty(applied(read(json({ ...time, ...declared, ...own })), "permit.issued").values, "permit_type")
  })

  it("may be configured, for fields, keys, the time and the type", () => {
    const aliases = {
      ipc_id: ["certificate_no"],
      payment_reference: ["pay_ref", "ref"],
      event_timestamp: ["occurred"],
      event_type: ["kind"]
    }
    const body = json({ occurred: `"${at}"`, certificate_no: "7", ref: '"PAY-9"', kind: '"ipc.paid"' })
    assertQuarantined(read(body), "type-not-provable")
    const change = applied(read(body, null, { ...plain, aliases }), "ipc.paid")
    assert.deepStrictEqual(change.values, { payment_reference: "PAY-9", paid_at: at })
    assert.strictEqual(change.id, "7")
    assert.deepEqual({ ...change.extra }, {})
    assertQuarantined(
      read(json({ occurred: `"${at}"`, certificate_no: "7", ref: '"PAY-9"', kind: '"ipc.void"' }), null, {
        ...plain,
        aliases
      }),
      "unknown-type"
    )
  })

  it("are the body's own fields, never those that every object has", () => {
    const options = { ...plain, aliases: { payment_reference: ["constructor", "toString"] } }
    assertQuarantined(read(flat({ ipc_id: "1" }), null, options), "type-not-provable")
    applied(read(flat({ ipc_id: "1", constructor: '"PAY-1"' }), null, options), "ipc.paid")
  })

  it("from the document come before those from the configuration", () => {
    const options = { ...plain, aliases: { payment_reference: ["ref"] } }
    const change = applied(read(flat({ ...contentOf("ipc.paid"), ref: '"other"' }), null, options), "ipc.paid")
    assert.strictEqual(change.values["payment_reference"], "PAY-1")
    assert.deepEqual({ ...change.extra }, { ref: '"other"' })
  })
})
