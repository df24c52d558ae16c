/**
 * Drafts for an accounting system that has none: kept until a person releases them, then sent as posted, once and in order.
 * What may have been handed over as a draft is never sent as anything else.
 */
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import * as Look from "../../../src/Ledger/Look.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { certified, folder, hear, payment, verified } from "../Started.ts"
import { engines, testOn } from "./SinkEngines.ts"
import { type Accounts, allDelivered, entryOf, history, letters, type Start, taken, until } from "./SinkWorld.ts"

/** For what looks into the books. */
const warehouse = Layer.unwrap(Effect.map(folder, (path) => DuckDb.layerAt(`${path}/warehouse.duckdb`)))

const by = { by: "Ada", reason: "reviewed" }

const release = (entry?: string) => Effect.flatMap(Ledger, (ledger) => ledger.release(entry, by))
const refusal = (entry?: string) => Effect.map(Effect.flip(release(entry)), ({ message }) => message)
const troubles = Effect.flatMap(Outbox, (outbox) => outbox.troubles)
const idOf = (sequence: number) =>
  Effect.map(letters, (rows) => rows.find((row) => Number(row.sequence) === sequence)?.entry_id ?? "")
const held = (count: number) =>
  until(
    `${count} drafts are held`,
    Effect.map(troubles, ({ drafts }) => drafts === count)
  )

const sentAs = (to: Accounts) =>
  to.posts.map(({ body }) => {
    const { sequence, status } = entryOf(body)
    return `${sequence} ${status}`
  })

describe.each(engines)("drafts for a system that has none, on $name", (engine) => {
  const test = testOn(engine)

  test("are held with a sentence that says how to release them, and sent as posted when they are released", (world, to) =>
    world({ keepsDrafts: true })(
      Effect.gen(function* () {
        yield* hear([...history("A"), ...history("B")])
        yield* held(2)
        assert.deepInclude(yield* troubles, { dead: 0, heldBack: 0, drafts: 2 })
        const [draft] = yield* (yield* Outbox).dead
        assert.deepInclude(draft, { sequence: 1, ipcId: "A", waitingBehind: 2 })
        assert.match(draft?.reason ?? "", /has no drafts.*`siteledger ledger sink release ENTRY --reason WHY`/)
        yield* until(
          "status says it",
          Effect.map(
            Effect.flatMap(Reasons, ({ wrong }) => wrong),
            (all) => all.some((each) => /^2 entries are drafts.*ledger sink release --all --reason WHY/.test(each))
          )
        )
        assert.deepStrictEqual(yield* release(yield* idOf(1)), { released: 1, others: null })
        yield* until(
          "it is delivered, and the next one is held",
          Effect.map(letters, ([first, second]) => first?.state === "delivered" && second?.state === "dead")
        )
        assert.deepStrictEqual(sentAs(to), ["1 posted"])
        assert.deepStrictEqual(yield* release(), { released: 5, others: null })
        yield* until("all are delivered", allDelivered)
        assert.sameMembers(sentAs(to), ["1 posted", "2 posted", "3 posted", "4 posted", "5 posted", "6 posted"])
        assert.deepStrictEqual(yield* release(), { released: 0, others: null })
        yield* until(
          "status is fine",
          Effect.map(
            Effect.flatMap(Reasons, ({ wrong }) => wrong),
            (all) => all.length === 0
          )
        )
        assert.deepStrictEqual((yield* verified).differences, [])
      })
    ))

  test("are released under a person's name, which the books keep", (world) =>
    world({ keepsDrafts: true })(
      Effect.gen(function* () {
        yield* hear(payment("A"))
        yield* held(1)
        const id = yield* idOf(1)
        const before = (yield* Look.one(id)) as { readonly delivery?: object }
        assert.deepInclude(before.delivery, { status: "draft", state: "dead", released: null })
        yield* release(id.slice(0, 6))
        yield* until("it is delivered", allDelivered)
        const { delivery } = (yield* Look.one(id)) as { readonly delivery?: Readonly<Record<string, unknown>> }
        assert.deepInclude(delivery, { status: "posted", state: "delivered", last_error: null })
        assert.deepInclude(delivery?.["released"], by)
        const { facts } = yield* Look.explain("A")
        const fact = facts.at(-1)
        assert.strictEqual(fact?.kind, "release")
        assert.deepStrictEqual(JSON.parse(fact?.content ?? ""), { entryId: id, ...by })
        assert.match(fact?.chain ?? "", /^[0-9a-f]{64}$/)
        const { run } = yield* Store
        yield* run((db) => db.updateTable("ledger_outbox").set({ status: "draft" }).execute())
        assert.deepStrictEqual((yield* verified).differences, [
          "The entry with number 1 was released, and is in the outbox as draft."
        ])
      }).pipe(Effect.provide(warehouse))
    ))

  test("may be released while an attempt is under way, which doesn't hold them again", (world, to) =>
    Effect.gen(function* () {
      const [begun, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const adapter: Start["adapter"] = ({ post }) => ({
        post: (message) =>
          Effect.gen(function* () {
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(released)
            return yield* post(message)
          })
      })
      yield* world({ keepsDrafts: true, adapter })(
        Effect.gen(function* () {
          yield* hear(payment("A"))
          yield* Deferred.await(begun)
          yield* release(yield* idOf(1))
          yield* Deferred.succeed(released, undefined)
          yield* until("it is delivered", allDelivered)
        })
      )
      assert.deepStrictEqual(sentAs(to), ["1 posted"])
    }))

  test("can't be released once a system with drafts may have them", (world, to) =>
    Effect.gen(function* () {
      yield* world({ keepsDrafts: true })(Effect.andThen(hear([...payment("A"), ...payment("B")]), held(2)))
      // Nothing counts as kept while it is on its way: a process that dies then can't note it any more.
      const onTheWay: Array<string | null> = []
      let opened: Store["Service"] | undefined
      const adapter: Start["adapter"] = ({ post }) => ({
        post: (message) =>
          Effect.gen(function* () {
            const rows = opened?.run((db) => db.selectFrom("ledger_outbox").selectAll().orderBy("sequence").execute())
            onTheWay.push(...(yield* Effect.orDie(rows ?? Effect.succeed([]))).map((row) => row.kept_since))
            return yield* post(message)
          })
      })
      to.answer = () => "silence"
      yield* world({ adapter, store: (store) => (opened = store) })(
        Effect.gen(function* () {
          yield* (yield* Outbox).replay(yield* idOf(1))
          yield* until(
            "it is on its way",
            Effect.sync(() => to.posts.length === 1)
          )
        })
      )
      assert.strictEqual(onTheWay[0], null)
      assert.isString(onTheWay[1])
      assert.deepStrictEqual(sentAs(to), ["1 draft"])
      to.answer = () => taken
      yield* world({ keepsDrafts: true })(
        Effect.gen(function* () {
          yield* until(
            "it is refused",
            Effect.map(troubles, ({ dead, drafts }) => dead === 1 && drafts === 1)
          )
          const [first] = yield* (yield* Outbox).dead
          assert.match(first?.reason ?? "", /Another system may have it: release it there/)
          assert.match(yield* refusal(yield* idOf(1)), /accounting may already have it as a draft\. Release it there/)
          const { others, released } = yield* release()
          assert.strictEqual(released, 1)
          assert.match(others ?? "", /^1 draft isn't released: accounting may already have it as a draft\./)
          yield* until(
            "the other is delivered",
            Effect.map(letters, ([, second]) => second?.state === "delivered")
          )
        })
      )
      assert.deepStrictEqual(sentAs(to), ["1 draft", "2 posted"])
    }))

  test("are refused in a sentence where there is nothing to release, or the outbox waits", (world) =>
    Effect.gen(function* () {
      yield* world({})(Effect.andThen(hear(payment("A")), until("it is delivered", allDelivered)))
      yield* world({ status: "posted", certificates: { standard: "each", payable: [], byProject: {} } })(
        Effect.andThen(hear(payment("B")), until("it is delivered", allDelivered))
      )
      yield* world({ keepsDrafts: true })(
        Effect.gen(function* () {
          yield* hear(payment("C"))
          yield* held(1)
          const [a, b, c] = [yield* idOf(1), yield* idOf(2), yield* idOf(3)]
          assert.strictEqual(yield* refusal(a), `Accounting has entry ${a} as a draft: release it there.`)
          assert.strictEqual(yield* refusal(b), `Entry ${b} isn't a draft.`)
          assert.strictEqual(yield* refusal("x"), "The outbox has no entry x.")
          assert.strictEqual(yield* refusal(""), "Several entries begin with : give more of the id.")
          const ledger = yield* Ledger
          const unsigned = yield* Effect.flip(ledger.release(c, { by: "Ada", reason: " " }))
          assert.strictEqual(unsigned.message, "Say who releases it (--by) and why (--reason).")
          const facts = Effect.flatMap(Store, ({ run }) =>
            run((db) => db.selectFrom("ledger_facts").select("kind").execute())
          )
          assert.notInclude(
            (yield* facts).map(({ kind }) => kind),
            "release"
          )
          yield* (yield* Outbox).pause("Ada", "restored")
          assert.match(
            yield* refusal(c),
            /^Nothing is sent until the books are compared .*release drafts after that\.$/
          )
        })
      )
    }))

  test("stay held back behind a payment from before there was a sink, also once they are released", (world, to) =>
    Effect.gen(function* () {
      yield* world(undefined)(hear(payment("A")))
      yield* world({ keepsDrafts: true })(
        Effect.gen(function* () {
          yield* hear([certified("A", 2, 12, "7.5000")])
          yield* until(
            "it is held back",
            Effect.map(troubles, ({ heldBack }) => heldBack === 1)
          )
          assert.deepStrictEqual(yield* release(), { released: 1, others: null })
          const [row] = yield* letters
          assert.deepInclude(row, { status: "posted", state: "dead", attempts: 0 })
          assert.match(row?.last_error ?? "", /^Held back/)
          assert.deepStrictEqual(to.posts, [])
          assert.strictEqual(yield* (yield* Outbox).replay(undefined), 1)
          yield* until("it is delivered", allDelivered)
        })
      )
      assert.deepStrictEqual(sentAs(to), ["2 posted"])
    }))
})
