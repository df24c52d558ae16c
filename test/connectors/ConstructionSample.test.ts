/** What `siteledger doctor --payload` makes of a sample: what is read, from where, and what would help. */
import { assert, describe, it } from "@effect/vitest"
import { documented } from "../../config/WireFiles.ts"
import type { Wire } from "../../connectors/construction/ConstructionReader.ts"
import { describe as describeSample } from "../../connectors/construction/ConstructionSample.ts"

const plain: Wire = { envelope: documented, fieldAliases: {}, trustTypeHeader: false, webhookMaxBytes: 1 << 22 }
const time = "2026-01-02T03:04:05Z"

const sample = (body: unknown, wire = plain) =>
  describeSample(
    Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    wire,
    Date.parse("2026-02-01T00:00:00Z")
  )

const valuesOf = ({
  fields
}: {
  readonly fields: ReadonlyArray<{ name: string; value: string | null; path: string | null }>
}) => Object.fromEntries(fields.map(({ name, path, value }) => [name, [value, path]]))

describe("a sample of a delivery", () => {
  it("that is read needs nothing, and shows where each value is", () => {
    const read = sample({
      event_type: "ipc.paid",
      event_timestamp: time,
      data: { ipc_id: 7, payment_reference: "P", note: 1 }
    })
    assert.isTrue(read.isReadable)
    assert.isNull(read.suggested)
    assert.deepStrictEqual(valuesOf(read), {
      "event type": ["ipc.paid", "event_type"],
      event_timestamp: ["2026-01-02T03:04:05.000000Z", "event_timestamp"],
      ipc_id: ["7", "data.ipc_id"],
      payment_reference: ["P", "data.payment_reference"]
    })
    assert.deepStrictEqual(read.rest, ["note"])
  })

  it("in another envelope gets its path", () => {
    const { isReadable, suggested } = sample({ object: { ipc_id: 7, payment_reference: "P", event_timestamp: time } })
    assert.isFalse(isReadable)
    assert.deepStrictEqual(suggested?.envelope, { delivery: ["object"] })
    assert.deepStrictEqual(suggested?.aliases, {})
    assert.isTrue(suggested?.after.isReadable)
  })

  it("under its entity's name, with an id and other spellings, gets aliases", () => {
    const body = { event: "ncr.created", createdAt: time, ncr: { id: 5, Severity: "major", project: { id: 4 } } }
    const { suggested } = sample(body)
    assert.deepStrictEqual(suggested?.aliases, {
      ncr_id: ["ncr.id"],
      severity: ["Severity"],
      event_timestamp: ["createdAt"]
    })
    assert.deepStrictEqual(suggested?.envelope, { delivery: ["ncr"] })
    const then = valuesOf(suggested?.after ?? { fields: [] })
    assert.deepStrictEqual(then["ncr_id"], ["5", "ncr.id"])
    assert.deepStrictEqual(then["severity"], ["major", "ncr.Severity"])
    assert.deepStrictEqual(then["project_id"], ["4", "ncr.project"])
  })

  it("whose words are in another order or form gets aliases", () => {
    const { suggested } = sample({
      type: "ipc.certified",
      event_timestamp: time,
      record: { ipcId: "7", amountCertified: 120.5 }
    })
    assert.deepStrictEqual(suggested?.aliases, { ipc_id: ["ipcId"], certified_amount: ["amountCertified"] })
    assert.deepStrictEqual(suggested?.after.isReadable, true)
  })

  it("that an engine can't hold says so", () => {
    const { isReadable, summary } = sample({ ipc_id: "7", payment_reference: "P\0", event_timestamp: time })
    assert.isFalse(isReadable)
    assert.match(summary, /would wait in quarantine: it holds a NUL, .* \(not-storable\)\.$/)
  })

  it("that names hide from any guess says why it would wait, and suggests nothing", () => {
    const { suggested, summary } = sample({ a: 1, b: "c" })
    assert.match(
      summary,
      /^A delivery that would wait in quarantine: its fields prove no event type \(type-not-provable\)\.$/
    )
    assert.isNull(suggested)
    // A guess that changes nothing isn't shown.
    assert.isNull(sample({ box: { closureDate: null } }).suggested)
    assert.match(sample("<html>").summary, /it isn't JSON/)
  })
})

describe("a sample of a list page", () => {
  it("as documented is read", () => {
    const page = sample({
      data: [{ id: 1, name: "A", status: "open", x: 1 }],
      pagination: { total: 9, page: 1, per_page: 1 }
    })
    assert.strictEqual(page.summary, "A list page with 1 of 9 projects. The first one:")
    assert.deepStrictEqual(valuesOf(page), {
      id: ["1", "data[].id"],
      name: ["A", "data[].name"],
      status: ["open", "data[].status"]
    })
    assert.isNull(page.suggested)
  })

  it("in another shape gets the paths of its records and counts, and its names", () => {
    const { isReadable, suggested } = sample({
      items: [{ id: 1, title: "A", state: "open" }],
      page: { total: 2, number: 1, size: 100 }
    })
    assert.isFalse(isReadable)
    assert.deepStrictEqual(suggested?.envelope, {
      list: { data: ["items"], total: ["page.total"], page: ["page.number"], per_page: ["page.size"] }
    })
    assert.deepStrictEqual(suggested?.aliases, { name: ["title"], status: ["state"] })
    assert.deepStrictEqual(valuesOf(suggested?.after ?? { fields: [] })["name"], ["A", "items[].title"])
  })
})

describe("a sample of a new subscription's answer", () => {
  it("never shows the secret", () => {
    const known = sample({ url: "https://a", data: { secret: "very-secret" } })
    assert.deepStrictEqual(valuesOf(known), { secret: ["(not shown)", "data.secret"] })
    const unknown = sample({ subscription: { id: 1, signing_secret: "very-secret" } })
    assert.isFalse(unknown.isReadable)
    assert.deepStrictEqual(unknown.suggested?.envelope, { creation: ["subscription"] })
    assert.deepStrictEqual(unknown.suggested?.aliases, { secret: ["signing_secret"] })
    assert.isTrue(unknown.suggested?.after.isReadable)
    assert.notInclude(JSON.stringify([known, unknown]), "very-secret")
  })
})
