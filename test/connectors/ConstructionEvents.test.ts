import { assert, describe, it } from "@effect/vitest"
import {
  byType,
  documentAliases,
  type EventType,
  eventTypes,
  ping,
  stageColumn,
  stageOf,
  subscribable,
  wires
} from "../../connectors/construction/ConstructionEvents.ts"
import { byName, entityNames, isMoney, tableColumns } from "../../src/Domain/Resource.ts"

/** The interface document, §6.3. */
const documented = [
  "ipc.created",
  "ipc.submitted",
  "ipc.certified",
  "ipc.paid",
  "vo.created",
  "vo.priced",
  "vo.agreed",
  "vo.absorbed",
  "ncr.created",
  "ncr.closed",
  "hse.incident.reported",
  "permit.issued",
  "permit.expiring",
  "dms.transmittal.sent"
]

const fieldsOf = (type: EventType) => ({ ...wires[type.entity].fields, ...type.fields })

describe("the event types", () => {
  it("are the 14 of the document, each once, without the ping", () => {
    assert.deepStrictEqual(
      eventTypes.map((type) => type.type),
      documented
    )
    assert.deepStrictEqual(subscribable, documented)
    assert.sameMembers([...byType.keys()], documented)
    assert.strictEqual(ping, "webhook.ping")
    assert.isFalse(byType.has(ping))
  })

  it("have a stage of their entity, with a column in its table", () => {
    for (const type of eventTypes) {
      const { stages } = byName(type.entity)
      assert.strictEqual(stages[stageOf(type) - 1]?.status, type.status, type.type)
      assert.strictEqual(stages[stageOf(type) - 1]?.at, stageColumn(type), type.type)
      const columns = new Map(tableColumns(byName(type.entity)).map((column) => [column.name, column.type]))
      assert.strictEqual(columns.get(stageColumn(type)), "TIMESTAMPTZ", type.type)
    }
  })

  it("are one for each stage of each entity", () => {
    const reached = eventTypes.map((type) => `${type.entity} ${type.status}`)
    const all = entityNames.flatMap((name) => byName(name).stages.map((stage) => `${name} ${stage.status}`))
    assert.sameMembers(reached, all)
  })

  it("come in the order of the stages", () => {
    for (const name of entityNames) {
      const order = eventTypes.filter((type) => type.entity === name).map(stageOf)
      assert.deepStrictEqual(
        order,
        order.map((_, index) => index + 1),
        name
      )
    }
  })

  it("are proven by fields that only they have, each with a column or the key", () => {
    const proofs = eventTypes.flatMap((type) => type.proof.map((group) => JSON.stringify(group.toSorted())))
    assert.strictEqual(new Set(proofs).size, proofs.length)
    for (const type of eventTypes) {
      assert.isNotEmpty(type.proof, type.type)
      const names = new Set([...Object.values(fieldsOf(type)).flat(), wires[type.entity].key])
      for (const group of type.proof) {
        assert.isNotEmpty(
          group.filter((name) => name !== wires[type.entity].key),
          type.type
        )
        for (const name of group) assert.isTrue(names.has(name), `${type.type}: ${name}`)
      }
    }
  })

  it("of one entity never prove each other", () => {
    for (const one of eventTypes) {
      for (const other of eventTypes.filter((each) => each !== one)) {
        for (const group of one.proof) {
          assert.isFalse(
            other.proof.some((names) => names.every((name) => group.includes(name))),
            `${one.type} ${other.type}`
          )
        }
      }
    }
  })
})

describe("the wires", () => {
  it("name every column of their table except those of the stages, and no other", () => {
    for (const name of entityNames) {
      const ofTypes = eventTypes
        .filter(({ entity }) => entity === name)
        .flatMap(({ fields }) => Object.keys(fields ?? {}))
      const named = new Set([...Object.keys(wires[name].fields), ...ofTypes])
      assert.sameMembers([...named], Object.keys(byName(name).columns), name)
    }
  })

  it("use different names for the key and each column", () => {
    for (const fields of [
      ...entityNames.map((name) => [name, wires[name].fields] as const),
      ...eventTypes.map((type) => [type.entity, fieldsOf(type)] as const)
    ]) {
      const names = [wires[fields[0]].key, ...Object.values(fields[1]).flat()]
      assert.strictEqual(new Set(names).size, names.length, fields[0])
    }
  })

  it("use no name of the envelope, which would be taken for a field", () => {
    const envelope = ["event_type", "event", "event_timestamp", "data", "payload"]
    for (const name of entityNames) assert.notIncludeMembers(Object.values(wires[name].fields).flat(), envelope)
  })

  // A misfit is in `_extra` under the name of its column: an unknown field of that name would hide it.
  it("put the column's own name first if it may hold a misfit, so no unknown field has that name", () => {
    for (const type of eventTypes) {
      for (const [column, names] of Object.entries(fieldsOf(type))) {
        const { columns } = byName(type.entity)
        const columnType = columns[column]?.type
        if (columnType !== undefined && (isMoney(columnType) || columnType === "JSON")) continue
        assert.strictEqual(names[0], column, `${type.type}: ${column}`)
      }
    }
  })
})

describe("the document's other words", () => {
  it("are aliases of names that a wire knows, and aren't such names themselves", () => {
    const known = new Set(entityNames.flatMap((name) => Object.values(wires[name].fields).flat()))
    for (const [name, others] of Object.entries(documentAliases)) {
      assert.isTrue(known.has(name), name)
      for (const other of others) assert.isFalse(known.has(other), other)
    }
  })
})
