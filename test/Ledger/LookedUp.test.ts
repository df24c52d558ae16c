/**
 * Certificates that look-ups found, in the fold: which one settles a payment that waits, which leave it to a person, and that
 * the order of event and answer changes nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Version from "../../src/Domain/Version.ts"
import type { LookedUpFact, Terms } from "../../src/Ledger/Fact.ts"
import { objectionTo } from "../../src/Ledger/Fold/LookedUp.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  amounts,
  certificate,
  history,
  inCurrencies,
  minute,
  net,
  opening,
  payment,
  project,
  reasons,
  reject,
  type ShortFact
} from "./Histories.ts"

type Found = Partial<Pick<LookedUpFact, "currency" | "projectId" | "url">>

const lookedUp = (at: number, units: bigint, found: Found = {}) =>
  ({
    kind: "looked-up",
    at: minute(at),
    units,
    url: null,
    currency: null,
    version: Version.make(1_800_000_000_000_000, 0, "b".repeat(64)),
    path: "/ipcs/IPC-1",
    sha256: "c".repeat(64),
    places: { id: "/id", amount: "/amount", at: "/at" },
    ...found
  }) satisfies ShortFact

const waits = ["awaiting-certified-amount"]
const euros: Terms = { ...contractor, currency: "EUR", minorDigits: { JPY: 0 } }
const byProject: Terms = { ...euros, currencies: { "7": "USD" } }

const why = (fact: ReturnType<typeof lookedUp>, under: Terms = contractor): string | undefined =>
  objectionTo(history([payment(5)], under), { ...fact, number: 9, ipcId: "IPC-1", knownAt: minute(99) }, under)

describe("a certificate that a look-up found", () => {
  it("settles the payment that waits for one, and says where it came from", () => {
    const books = history([payment(5), lookedUp(2, 1_000_000n, { url: "https://c/7" })])
    assert.deepStrictEqual(amounts(books), ["payment 1000000"])
    assert.deepStrictEqual(reasons(books), [])
    const [entry] = books.entries
    assert.strictEqual(entry?.certificate_url, "https://c/7")
    const { at, kind, path, sha256 } = entry?.basis[1] ?? {}
    assert.deepStrictEqual([kind, at, path, sha256], ["looked-up", minute(2), "/ipcs/IPC-1", "c".repeat(64)])
  })

  it("of the instant of the payment counts, and one dated after it never does", () => {
    assert.deepStrictEqual(amounts(history([payment(5), lookedUp(5, 100n)])), ["payment 100"])
    const books = history([payment(5), lookedUp(6, 100n)])
    assert.deepStrictEqual(reasons(books), waits)
    assert.deepStrictEqual([books.entries, books.certificates], [[], []])
    assert.strictEqual(
      why(lookedUp(6, 100n)),
      `a certificate of ${minute(6)}, which is after the payment (${minute(5)})`
    )
  })

  it("isn't kept where no payment waits", () => {
    assert.deepStrictEqual(history([lookedUp(2, 100n)]).certificates, [])
    const books = history([certificate(1, 90n), payment(5), lookedUp(2, 100n)])
    assert.deepStrictEqual(amounts(books), ["payment 90"])
    assert.lengthOf(books.certificates, 1)
    assert.deepStrictEqual(amounts(history([opening(80n), payment(5), lookedUp(2, 100n)])), ["payment 80"])
  })

  it.each([
    ["another currency", lookedUp(2, 1_000_000n, { currency: "USD" }), /payments of its project are in EUR$/],
    ["an amount with too many decimals", lookedUp(2, 1_000_050n), /100\.0050, which has more decimals than EUR has$/],
    ["nothing", lookedUp(2, 0n), /0\.0000, which isn't above zero$/],
    ["less than nothing", lookedUp(2, -500n), /-0\.0500, which isn't above zero$/]
  ])("with %s stays with a person", (_what, fact, words) => {
    const books = history([payment(5), fact], euros)
    assert.deepStrictEqual(reasons(books), waits)
    assert.deepStrictEqual(books.entries, [])
    assert.match(why(fact, euros) ?? "", words)
  })

  it("in the currency of the project is posted in it, and names the project", () => {
    const found = lookedUp(2, 1_000_000n, { currency: "USD", projectId: "7" })
    const books = history([payment(5), found], byProject)
    assert.deepStrictEqual(inCurrencies(books), ["payment 1000000 USD"])
    assert.strictEqual(books.entries[0]?.project_id, "7")
    assert.deepStrictEqual(reasons(history([payment(5), { ...found, currency: "EUR" }], byProject)), waits)
  })

  it("waits for the currency where the project isn't known, and for a certificate again if it turns out to be another", () => {
    const found = [payment(5), lookedUp(2, 1_000_000n, { currency: "USD" })]
    assert.deepStrictEqual(reasons(history(found, byProject)), ["currency-unknown"])
    assert.deepStrictEqual(inCurrencies(history([...found, project("7")], byProject)), ["payment 1000000 USD"])
    const other = history([...found, project("8")], byProject)
    assert.deepStrictEqual(other.entries, [])
    assert.deepStrictEqual(reasons(other), waits)
  })

  it("and its event, in either order, post the same once", () => {
    const [event, found] = [certificate(2, 100n), lookedUp(2, 100n, { url: "https://c/2" })]
    for (const steps of [
      [payment(5), found, event],
      [payment(5), event, found],
      [event, payment(5), found]
    ]) {
      const books = history(steps)
      assert.deepStrictEqual(amounts(books), ["payment 100"])
      assert.deepStrictEqual(reasons(books), [])
    }
  })

  it("is followed by what later events certify, as any certificate", () => {
    const found = [payment(5), lookedUp(2, 100n)]
    assert.deepStrictEqual(amounts(history([...found, certificate(4, 130n)])), ["payment 100", "adjustment 30"])
    assert.deepStrictEqual(amounts(history([...found, certificate(1, 130n)])), ["payment 100"])
    assert.deepStrictEqual(reasons(history([...found, certificate(7, 130n)])), ["recertified-after-payment"])
    assert.deepStrictEqual(reasons(history([...found, certificate(2, 130n)])), ["ambiguous-order"])
    assert.strictEqual(net(history([...found, certificate(7, 130n), accept("recertified-after-payment", 30n)])), 130n)
  })

  it("that a person disregards isn't found again", () => {
    const found = lookedUp(2, 100n)
    const steps = [payment(5), found, certificate(2, 130n), reject("ambiguous-order")]
    assert.deepStrictEqual(reasons(history(steps)), waits)
    assert.lengthOf(history([...steps, found]).certificates, 2)
  })

  it("takes the place of its IPC in a project whose certificates are cumulative", () => {
    const cumulative: Terms = {
      ...contractor,
      certificates: { ...contractor.certificates, standard: "cumulative" }
    }
    const preceding = { ipcId: "IPC-0", certificates: [{ at: minute(1), units: 40n }] }
    const found = { ...lookedUp(2, 100n, { projectId: "7" }), preceding }
    assert.deepStrictEqual(amounts(history([payment(5), found], cumulative)), ["payment 60"])
    assert.deepStrictEqual(reasons(history([payment(5), lookedUp(2, 100n)], cumulative)), ["previous-amount-unknown"])
  })
})
