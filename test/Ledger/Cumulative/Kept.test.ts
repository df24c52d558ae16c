/**
 * Posted entries keep the meaning of certified amounts that their first entry had: no change of the settings, and no
 * event under other settings, moves them without asking. Questions are asked again if their subject has changed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { OfProject } from "../../../config/Certificates.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { created, folder, hear, holds, journal, paid, started, startedOnce, verified } from "../Started.ts"
import { as, certifiedIn, isSound, nets, terms, waiting } from "./Projects.ts"

const before = (certifiedBefore: string | null): OfProject => ({ amounts: null, certifiedBefore, payable: null })
const of = (byProject: Readonly<Record<string, OfProject>>, standard: "cumulative" | "each" = "cumulative") =>
  as({ standard, payable: [], byProject })

const accept = (amount: string) =>
  Effect.gen(function* () {
    const { decide } = yield* Ledger
    for (const { hold_id } of yield* holds) {
      yield* decide({ hold: hold_id, verdict: "accept", amount, by: "Ana", reason: "the bank says so" })
    }
  })

describe("what is posted", () => {
  it.effect("keeps what was certified before its project's first IPC", () =>
    Effect.flatMap(folder, (path) =>
      Effect.gen(function* () {
        const first = hear([certifiedIn("8", "A", 10, 1, "1150"), paid("A", 11, 2)])
        yield* started(path, first, of({ "8": before("1000.0000") }))
        for (const other of [of({ "8": before("900.0000") }), of({ "8": before(null) }), of({}, "each")]) {
          const body = Effect.gen(function* () {
            yield* hear([created("A", 20, 20, "8"), certifiedIn("8", "A", 12, 21, "1160")])
            assert.deepStrictEqual(yield* nets, { A: 150 })
            assert.deepStrictEqual((yield* holds)[0]?.amount, "160.0000")
            yield* isSound
          })
          yield* started(path, body, other)
        }
      })
    )
  )

  it.effect("still follows what precedes it where its project is no longer cumulative", () =>
    Effect.flatMap(folder, (path) =>
      Effect.gen(function* () {
        const events = [certifiedIn("7", "A", 10, 1, "100"), paid("A", 11, 2), certifiedIn("7", "B", 20, 3, "180")]
        events.push(paid("B", 21, 4), certifiedIn("7", "C", 30, 5, "250"), paid("C", 31, 6))
        yield* started(path, hear(events), of({ "7": before("0.0000") }))
        const body = Effect.gen(function* () {
          yield* hear([certifiedIn("7", "B", 20.5, 7, "190")])
          assert.deepStrictEqual(yield* nets, { A: 100, B: 90, C: 60 })
          yield* isSound
        })
        yield* started(path, body, of({}, "each"))
      })
    )
  )

  it.effect("is no draft any more once it is said that certificates stand for themselves", () =>
    Effect.flatMap(folder, (path) =>
      Effect.gen(function* () {
        yield* started(path, hear([certifiedIn("7", "A", 10, 1, "100"), paid("A", 11, 2)]))
        const body = Effect.gen(function* () {
          yield* hear([certifiedIn("7", "A", 10.5, 3, "120")])
          const taken = (yield* journal).map(({ amount, certified_as }) => `${amount} ${certified_as}`)
          assert.deepStrictEqual(taken, ["100.0000 assumed", "20.0000 each"])
          yield* isSound
        })
        yield* started(path, body, of({}, "each"))
      })
    )
  )
})

describe("a question", () => {
  it.effect("is asked again where what precedes has changed what it asks", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "100"), certifiedIn("7", "B", 20, 2, "180"), paid("B", 21, 3)])
        yield* hear([certifiedIn("7", "B", 30, 4, "200")])
        yield* accept("20")
        assert.deepStrictEqual([yield* nets, yield* waiting], [{ B: 100 }, []])
        yield* hear([certifiedIn("7", "A", 25, 5, "110")])
        assert.deepStrictEqual([yield* nets, yield* waiting], [{ B: 80 }, ["B recertified-after-payment"]])
        yield* hear([certifiedIn("7", "C", 40, 6, "300"), certifiedIn("7", "C", 40, 7, "310"), paid("C", 41, 8)])
        yield* accept("100")
        assert.deepStrictEqual(yield* waiting, [])
        yield* hear([certifiedIn("7", "B", 35, 9, "210")])
        assert.include(yield* waiting, "C ambiguous-order")
        yield* isSound
      }),
      terms
    )
  )

  it.effect("shows no amount where what is due is more than an amount holds", () =>
    startedOnce(
      Effect.gen(function* () {
        const most = "9".repeat(24)
        yield* hear([certifiedIn("7", "A", 10, 1, most)])
        yield* hear([certifiedIn("7", "B", 20, 2, `-${most}`), paid("B", 21, 3)])
        assert.deepStrictEqual(yield* waiting, ["B amount-not-positive"])
        assert.isNull((yield* holds)[0]?.amount)
        yield* isSound
      }),
      terms
    )
  )

  it.effect("ends where other settings answer it", () =>
    Effect.flatMap(folder, (path) =>
      Effect.gen(function* () {
        yield* started(
          path,
          Effect.gen(function* () {
            yield* hear([certifiedIn("7", "A", 10, 1, "100"), certifiedIn("7", "B", 20, 2, "80"), paid("B", 21, 3)])
            assert.deepStrictEqual(yield* waiting, ["B amount-not-positive"])
          }),
          terms
        )
        yield* started(
          path,
          Effect.map(Effect.all([nets, waiting]), (found) => assert.deepStrictEqual(found, [{ B: 80 }, []])),
          of({}, "each")
        )
      })
    )
  )
})

describe("the order of a project", () => {
  it.effect("tells each IPC only of certificates that can count for it", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 1, 1, "100"), certifiedIn("7", "B", 5000, 2, "100000"), paid("B", 5001, 3)])
        for (let each = 0; each < 60; each++)
          yield* hear([certifiedIn("7", "A", 10 + each, 10 + each, String(200 + each))])
        yield* hear([certifiedIn("7", "A", 6000, 100, "999")])
        const store = yield* Store
        const told = yield* store.run((db) =>
          db
            .selectFrom("ledger_facts")
            .select("content")
            .where("ipc_id", "=", "B")
            .where("kind", "=", "preceding")
            .execute()
        )
        assert.isAtMost(told.length, 61)
        for (const { content } of told) assert.isBelow(content.length, 250)
        assert.deepStrictEqual(yield* nets, { B: 100_000 - 259 })
        yield* isSound
      }),
      terms
    )
  )

  it.effect("is told and verified across pages", () =>
    Effect.flatMap(folder, (path) =>
      Effect.gen(function* () {
        const count = 1100
        const ids = Array.from({ length: count }, (_, n) => `IPC-${String(n).padStart(4, "0")}`)
        yield* started(path, hear(ids.map((id, n) => certifiedIn("7", id, 1 + n, 1 + n, String(10 * (n + 1))))))
        const body = Effect.gen(function* () {
          yield* isSound
          yield* hear([paid("IPC-1000", 2000, 2000), paid("IPC-0000", 2000, 2001)])
          assert.deepStrictEqual(yield* nets, { "IPC-0000": 10, "IPC-1000": 10 })
          const store = yield* Store
          yield* store.run((db) => db.deleteFrom("ledger_certified").where("ipc_id", "=", "IPC-0999").execute())
          assert.deepStrictEqual((yield* verified).differences, [
            "IPC IPC-0999 isn't where its certificates put it among those of its project.",
            "IPC IPC-1000: its facts don't say that IPC IPC-0998 precedes it, with its certificates."
          ])
        })
        yield* started(path, body, of({ "7": before("0.0000") }))
      })
    )
  )

  it.effect("has no IPC that the books don't know, which verify names", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("10", "A", 10, 1, "100")])
        const store = yield* Store
        const row = { ipc_id: "GHOST", project_id: "10", first_at: "2026-11-20T00:00:05.000000Z", certificates: "[]" }
        yield* store.run((db) => db.insertInto("ledger_certified").values(row).execute())
        const { differences } = yield* verified
        assert.deepStrictEqual(differences, [
          "IPC GHOST is among the certified ones, and the books know nothing of it."
        ])
      }),
      terms
    )
  )
})
