/** Look-ups in the review file: what a person may write, what is refused and how, and where a certificate is found. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { List, Review } from "../../src/Discovery/Review.ts"
import { decode } from "../../src/Discovery/Review/Decode.ts"
import { certificatePlaces, lookedUp } from "../../src/Discovery/Review/LookUp.ts"
import { revise } from "../../src/Discovery/Review/Revise.ts"
import { write } from "../../src/Discovery/Review/Write.ts"
import { answering, inPath, listing, object, of, text } from "./Documents.ts"

const ipc = object({ id: text, amount_certified: { type: "number" }, certified_on: text, cur: text })

const single = (answer: unknown) => ({ get: answering(answer, { parameters: inPath("id") }) })

const offered = of({
  "/ipcs": listing(ipc),
  "/ipcs/{id}": single(ipc),
  "/things": listing(object({ id: text }))
}).review

const ipcs = "GET /ipcs"
const certificate = { amount: "amount_certified", at: "certified_on" }
const columns = (offered.lists[0]?.columns ?? []).map((column) =>
  column.money === undefined ? column : { ...column, money: "signed-off" as const }
)

type Changes = { readonly [Name in keyof List]?: unknown }

const withLookUp = (lookUp: unknown, changes: Changes = {}, read = ipcs): Review => ({
  ...offered,
  lists: offered.lists.map((list) => (list.read === read ? ({ ...list, on: true, lookUp, ...changes } as List) : list))
})

const decoded = (review: Review): Review => Result.getOrThrow(decode(write(review)))

const listIn = ({ lists }: Review): List => lists.find(({ read }) => read === ipcs) ?? assert.fail("it is gone")

describe("a look-up", () => {
  it("is offered, off, for lists that events tell of, with the place of the record", () => {
    const named = (answer: unknown, path = "/ipcs") =>
      of({ [path]: listing(ipc), [`${path}/{id}`]: single(answer) }).review.lists[0]?.lookUp
    assert.deepStrictEqual(named(ipc), { on: false })
    assert.deepStrictEqual(named(object({ "a/b": ipc, meta: object({ n: text }) })), { on: false, record: "/a~1b" })
    assert.deepStrictEqual(named(object({ before: ipc, after: ipc })), { on: false })
    assert.isUndefined(named(ipc, "/certificates"))
    assert.isUndefined(named(object({ id: text }), "/projects"))
    assert.isUndefined(of({ "/ipcs": listing(ipc) }).review.lists[0]?.lookUp)
  })

  it("may be switched on for a list with a detail, and stays as a person wrote it", () => {
    const lookUp = { on: true, record: "/data", certificate }
    const edited = decoded(withLookUp(lookUp))
    assert.strictEqual(listIn(edited).detail, "GET /ipcs/{id}")
    assert.deepStrictEqual(listIn(edited).lookUp, lookUp)
    assert.deepStrictEqual(listIn(revise(edited, offered).review).lookUp, lookUp)
    assert.deepStrictEqual([...lookedUp(edited.lists)], ["ipcs"])
    assert.deepStrictEqual([...lookedUp(offered.lists)], [])
    assert.deepStrictEqual([...lookedUp(withLookUp({ ...lookUp, on: false }).lists)], [])
  })

  it("finds a certificate only once its amount is signed off, below the record", () => {
    const lookUp = { on: true, record: "/data", certificate: { ...certificate, currency: "cur" } }
    assert.isUndefined(certificatePlaces(listIn(decoded(withLookUp(lookUp)))))
    assert.isUndefined(certificatePlaces(listIn(decoded(withLookUp({ on: true }, { columns })))))
    assert.deepStrictEqual(certificatePlaces(listIn(decoded(withLookUp(lookUp, { columns })))), {
      id: "/data/id",
      amount: "/data/amount_certified",
      at: "/data/certified_on",
      currency: "/data/cur"
    })
  })

  it.each<readonly [lookUp: unknown, changes: Changes, read: string, words: RegExp]>([
    [{ on: true }, { table: "certificates" }, ipcs, /lookUp is on, and no events tell of its table\.$/],
    [{ on: true }, { table: "vos" }, "GET /things", /on without a detail that needs nothing but the record's id\.$/],
    [{ on: true }, { detail: "GET /ipcs/{id}/{x}" }, ipcs, /on without a detail that needs nothing but/],
    [{ on: true }, { detail: "GET /../{id}" }, ipcs, /on without a detail that needs nothing but/],
    [{ on: true }, { key: ["id", "cur"] }, ipcs, /its key isn't one column of the record that is kept\.$/],
    [{ on: false, record: "data" }, {}, ipcs, /has a record that isn't a place like "\/data"\.$/],
    [{ on: false, certificate }, { table: "certificates" }, ipcs, /which only the list of the table ipcs can have\.$/],
    [
      { on: false, certificate: { ...certificate, url: "pdf" } },
      {},
      ipcs,
      /lookUp\.certificate\.url names "pdf", which isn't a column that is kept\.$/
    ],
    [{ on: "yes" }, {}, ipcs, /lookUp\.on, which isn't true or false\.$/]
  ])("like %j is refused where it can't be", (lookUp, changes, read, words) => {
    const sentences = Result.getOrThrow(Result.flip(decode(JSON.stringify(withLookUp(lookUp, changes, read)))))
    assert.isTrue(
      sentences.some((each) => words.test(each)),
      sentences.join("\n")
    )
  })
})
