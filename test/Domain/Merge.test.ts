import { assert, describe, it } from "@effect/vitest"
import { absence, type Change } from "../../src/Domain/Change.ts"
import * as Version from "../../src/Domain/Version.ts"
import { merge, type Row } from "../../src/Domain/Merge.ts"
import { byName, resources } from "../../src/Domain/Resource.ts"
import { entities } from "./Merge/RandomHistories.ts"
import { arrive, endsAs, event, gone, oracle, page, permutations, splits } from "./Merge/Histories.ts"

const at = "2025-11-20T00:53:"

const created = event("ipcs", "created", 1, { project_id: "5", draft_amount: "100.0000" })
const submitted = event("ipcs", "submitted", 2, { submitter: "ann", submitted_amount: "90.0000" })
const certified = event("ipcs", "certified", 3, { certified_amount: "80.0000", certificate_url: "https://c/1" })
const paid = event("ipcs", "paid", 4, { payment_reference: "PAY-1" })
/** Happened before the payment, and may arrive at any time; its amount is still new. */
const lateCertified = event(
  "ipcs",
  "certified",
  3.5,
  { certified_amount: "85.0000" },
  { seenAt: 9_000_000_000_000_000 }
)

const misfit = event("ncrs", "open", 1, { project_id: null }, { misfits: { project_id: '{"id":"P-1","n":1.50}' } })
const fit = event("ncrs", "open", 2, { project_id: "7" })
const otherMisfit = event("ncrs", "closed", 3, { project_id: null }, { misfits: { project_id: '"P-2"' } })
const laterFit = event("ncrs", "closed", 4, { project_id: "8" })

const unknown = (second: number, extra: Readonly<Record<string, string>>) =>
  event("permits", "issued", second, {}, { extra })

const histories: Readonly<Record<string, ReadonlyArray<Change>>> = {
  "a life": [created, submitted, certified, paid],
  "a late certificate": [created, paid, lateCertified, certified],
  "one event of everything in the same microsecond": [
    event("ipcs", "created", 1, { project_id: "1" }),
    event("ipcs", "paid", 1, { project_id: "2" }),
    event("ipcs", "certified", 1, { project_id: "3" }),
    page("ipcs", 1, { project_id: "4" })
  ],
  "two events of one stage in the same microsecond": [
    event("ipcs", "paid", 1, { payment_reference: "PAY-1" }, { hash: "aa" }),
    event("ipcs", "paid", 1, { payment_reference: "PAY-2" }, { hash: "bb" }),
    certified
  ],
  "pages between events": [created, page("ipcs", 1.5, { project_id: "6" }), paid, page("ipcs", 5, { submitter: null })],
  "pages of a list": [
    page("projects", 1, { name: "A", status: "open" }),
    page("projects", 2, { name: "B" }),
    page("projects", 3, { name: null, status: "shut" }),
    page("projects", 3, { name: "C" })
  ],
  "a tombstone and a later sighting": [
    page("projects", 1, { name: "A" }),
    gone("projects", 2),
    page("projects", 3, { name: "A" }),
    gone("projects", 2.5)
  ],
  "a tombstone that stays": [created, gone("ipcs", 5), page("ipcs", 2, {}), gone("ipcs", 4)],
  "a misfit, then a fit, and the reverse": [misfit, fit, otherMisfit, laterFit],
  "a misfit at last": [fit, misfit, otherMisfit],
  "unknown fields": [
    unknown(1, { a: "1.50", b: '{"y":1,"x":[2.0]}' }),
    unknown(2, { a: "null", __proto__x: "1" }),
    unknown(3, { b: "12345678901234567890", "10": "-0", "2": "[]" }),
    unknown(1, { c: '"c"', "+a": "1", status: '"void"', issued_at: '"yesterday"', _clocks: "{}" })
  ],
  "values that are taken back": [
    event("ipcs", "certified", 1, { certified_amount: "80.0000" }),
    event("ipcs", "certified", 2, { certified_amount: null }),
    event("ipcs", "certified", 3, {})
  ]
}

describe("every order and every split", () => {
  for (const [name, changes] of Object.entries(histories)) {
    it(`ends ${name} in the same row`, () => {
      const entity = changes[0]?.entity ?? "ipcs"
      const expected = oracle(byName(entity), changes)
      for (const order of permutations(changes)) {
        for (const batches of splits(order)) endsAs(expected, batches, JSON.stringify(batches))
        endsAs(expected, [order, order], "again as a whole")
        endsAs(
          expected,
          [...order, ...order.toReversed()].map((change) => [change]),
          "again one by one"
        )
      }
    })
  }
})

describe("a row", () => {
  const ipc = (...changes: ReadonlyArray<Change>): Row => arrive(changes.map((change) => [change]))

  it("takes the amount of a certificate that arrives after the payment", () => {
    const row = ipc(created, paid, lateCertified)
    assert.strictEqual(row["certified_amount"], "85.0000")
    assert.strictEqual(row["status"], "paid")
    assert.strictEqual(row["paid_at"], `${at}24.000000Z`)
    assert.strictEqual(row["certified_at"], `${at}23.500000Z`)
    assert.strictEqual(ipc(lateCertified, certified)["certified_amount"], "85.0000")
  })

  it("holds the furthest stage reached, and when each stage last happened", () => {
    const again = event("ipcs", "submitted", 9, {})
    const row = ipc(paid, again, submitted)
    assert.strictEqual(row["status"], "paid")
    assert.strictEqual(row["submitted_at"], `${at}29.000000Z`)
    assert.isNull(row["created_at"])
  })

  it("keeps a field that a newer change does not name, and loses one that it sets to null", () => {
    assert.strictEqual(ipc(certified, event("ipcs", "certified", 9, {}))["certified_amount"], "80.0000")
    assert.isNull(ipc(certified, event("ipcs", "certified", 9, { certified_amount: null }))["certified_amount"])
    assert.strictEqual(
      ipc(certified, event("ipcs", "certified", 2, { certified_amount: null }))["certified_amount"],
      "80.0000"
    )
  })

  it("prefers an event to a page of the same microsecond", () => {
    const shown = page("ipcs", 1, { project_id: "9" }, { hash: "ff" })
    assert.strictEqual(ipc(created, shown)["project_id"], "5")
    assert.strictEqual(ipc(shown, created)["project_id"], "5")
  })

  it("has the service's own status if it has no stages", () => {
    assert.strictEqual(arrive([[page("projects", 1, { status: "on hold" })]])["status"], "on hold")
  })

  it("keeps a value that doesn't fit, until one fits", () => {
    const row = ipc(fit, otherMisfit)
    assert.isNull(row["project_id"])
    assert.strictEqual(row["_extra"], '{"project_id":"P-2"}')
    assert.strictEqual(ipc(misfit)["_extra"], '{"project_id":{"id":"P-1","n":1.50}}')
    assert.isNull(ipc(misfit, fit)["_extra"])
    assert.strictEqual(ipc(misfit, fit)["project_id"], "7")
  })

  it("keeps an unknown field with the name of a column that fits", () => {
    const row = ipc(
      event("permits", "issued", 1, {}, { extra: { issued_at: '"noon"' } }),
      event("permits", "issued", 2, {})
    )
    assert.strictEqual(row["_extra"], '{"issued_at":"noon"}')
    assert.strictEqual(row["issued_at"], `${at}22.000000Z`)
  })

  it("is deleted by an absence and restored by any later sighting", () => {
    const shown = page("projects", 1, { name: "A" })
    const buried = [shown, gone("projects", 2)]
    assert.strictEqual(ipc(...buried)["_deleted_at"], `${at}22.000000Z`)
    assert.strictEqual(ipc(...buried)["name"], "A")
    assert.isNull(ipc(...buried, page("projects", 3, {}))["_deleted_at"])
    assert.strictEqual(ipc(...buried, page("projects", 1.5, {}))["_deleted_at"], `${at}22.000000Z`)
    assert.isNull(ipc(created, gone("ipcs", 2), paid)["_deleted_at"])
  })

  it("is deleted by Change.absence", () => {
    const when = `${at}22.000000Z`
    const change = absence("projects", "7", Version.make(1, 0, ""), when)
    assert.deepInclude(arrive([[change]]), { id: "7", _deleted_at: when, name: null, _extra: null })
  })

  it("holds when it was first seen, and when news of it last arrived", () => {
    const row = ipc(lateCertified, created)
    assert.strictEqual(row["_first_seen_at"], created.seenAt)
    assert.strictEqual(row["_changed_at"], lateCertified.seenAt)
  })

  it("has not changed when a later page shows the same", () => {
    const shown = (second: number) =>
      page(
        "projects",
        second,
        { name: null, status: "open" },
        { misfits: { name: '{"en":1.50}' }, extra: { x: "[2.0]" } }
      )
    const row = ipc(shown(1), shown(2), shown(3))
    assert.strictEqual(row["_changed_at"], shown(1).seenAt)
    assert.strictEqual(JSON.parse(row["_clocks"] ?? "")["name"], shown(3).version)
    assert.strictEqual(
      ipc(shown(1), page("projects", 2, { name: null }))["_changed_at"],
      page("projects", 2, {}).seenAt
    )
    assert.strictEqual(
      ipc(shown(1), page("projects", 2, {}, { extra: { x: "2" } }))["_changed_at"],
      page("projects", 2, {}).seenAt
    )
  })
})

describe("news", () => {
  const changedAt = (...changes: ReadonlyArray<Change>) => arrive(changes.map((change) => [change]))["_changed_at"]
  const first = page("projects", 1, { name: "A", status: null })

  it("is a value that a page changes, sets to null or shows for the first time", () => {
    for (const values of [{ name: "B" }, { name: null }, { status: "open" }]) {
      const next = page("projects", 2, values)
      assert.strictEqual(changedAt(first, next), next.seenAt, JSON.stringify(values))
    }
    for (const values of [{ name: "A" }, { status: null }, {}]) {
      assert.strictEqual(changedAt(first, page("projects", 2, values)), first.seenAt, JSON.stringify(values))
    }
  })

  it("is a tombstone, its removal, and a row without values", () => {
    const [buried, lifted, empty] = [gone("projects", 2), page("projects", 3, {}), page("projects", 1, {})]
    assert.strictEqual(changedAt(first, buried), buried.seenAt)
    assert.strictEqual(changedAt(first, buried, lifted), lifted.seenAt)
    assert.strictEqual(changedAt(empty), empty.seenAt)
  })

  it("is any event, also one that is late or says nothing new", () => {
    const late = event("ipcs", "created", 0, {}, { seenAt: Number.MAX_SAFE_INTEGER })
    assert.strictEqual(changedAt(created, late), late.seenAt)
    assert.strictEqual(changedAt(late, created), late.seenAt)
  })
})

describe("merge", () => {
  it("returns the same object if nothing is newer", () => {
    for (const [name, changes] of Object.entries(histories)) {
      const resource = byName(changes[0]?.entity ?? "ipcs")
      const row = arrive([changes])
      assert.strictEqual(merge(resource, row, changes), row, name)
      assert.strictEqual(merge(resource, row, changes.toReversed()), row, name)
      for (const change of changes) assert.strictEqual(merge(resource, row, [change]), row, name)
      assert.strictEqual(merge(resource, row, []), row, name)
    }
    assert.isUndefined(merge(resources.ipcs, undefined, []))
  })

  it("gives every column of the table, in its order", () => {
    for (const entity of entities) {
      const row = merge(byName(entity), undefined, [gone(entity, 1)])
      assert.deepStrictEqual(Object.keys(row ?? {}), Object.keys(oracle(byName(entity), [gone(entity, 1)])), entity)
    }
  })
})
