/** Which entries the accounting system gets, and in which form: as in the journal, signed, as a draft. */
import { webcrypto } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Certificates } from "../../../config/Certificates.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import {
  accounts,
  allDelivered,
  entryOf,
  history,
  letters,
  secret,
  sending,
  taken,
  unsending,
  until
} from "./SinkWorld.ts"
import { certified, copied, copy, folder, hear, paid, startedWhole } from "../Started.ts"

const certificates: Certificates = { standard: "each", payable: [], byProject: {} }

describe("the accounting sink", () => {
  it.live("gets the entry as the journal has it, signed, as a draft, and never through a redirect", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      to.answer = (_, number) => (number === 1 ? { status: 307, headers: { location: "/elsewhere" } } : taken)
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* hear([certified("A", 1, 2, "123456789012345678901234.5678"), paid("A", 5, 6, 'Zahlung "Ü" 7')])
          yield* hear([certified("A", 2, 7, "0.0001")])
          yield* until("both are delivered", allDelivered)
        })
      )
      const lines = yield* startedWhole(path, Effect.andThen(copy, copied("ledger_lines")))
      const key = yield* Effect.promise(() =>
        webcrypto.subtle.importKey("raw", Buffer.from(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
      )
      for (const { body, headers, key: idempotencyKey, path: asked } of to.posts) {
        const signature = yield* Effect.promise(() => webcrypto.subtle.sign("HMAC", key, body))
        assert.strictEqual(headers["x-siteledger-signature"], Buffer.from(signature).toString("hex"))
        assert.strictEqual(headers["content-type"], "application/json")
        assert.strictEqual(idempotencyKey, entryOf(body).entry_id)
        assert.strictEqual(asked, "/entries?book=7")
      }
      const [, payment, adjustment] = to.posts.map(({ body }) => entryOf(body))
      assert.strictEqual(payment?.payment_reference, 'Zahlung "Ü" 7')
      assert.deepStrictEqual([payment?.status, payment?.kind, adjustment?.kind], ["draft", "payment", "adjustment"])
      assert.strictEqual(adjustment?.amount, "-123456789012345678901234.5677")
      const sent = [payment, adjustment].flatMap((entry) =>
        (entry?.lines ?? []).map((line) => ({
          entry_id: entry?.entry_id,
          ...line,
          currency: entry?.currency ?? null,
          posting_date: entry?.posting_date
        }))
      )
      assert.sameDeepMembers(sent, lines as typeof sent)
    }).pipe(Effect.scoped)
  )

  it.live("gets nothing that was posted before it was configured, until a person sends it", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      yield* unsending(
        path,
        Effect.gen(function* () {
          const outbox = yield* Outbox
          yield* hear(["OLD", "OLDER"].flatMap(history))
          assert.deepStrictEqual([yield* letters, yield* outbox.status], [[], null])
          assert.match((yield* Effect.flip(outbox.send(1))).message, /SITELEDGER_LEDGER_SINK_URL/)
        }),
        certificates
      )
      yield* sending(
        path,
        to,
        { status: "posted", certificates },
        Effect.gen(function* () {
          const outbox = yield* Outbox
          yield* hear(history("NEW"))
          yield* until("the new ones are delivered", allDelivered)
          assert.deepStrictEqual([...new Set(to.posts.map(({ ipcId }) => ipcId))], ["NEW"])
          assert.strictEqual(yield* outbox.unsent, 6)
          assert.strictEqual(yield* outbox.send(3), 4)
          yield* until("those from 3 on are delivered", allDelivered)
          assert.strictEqual(yield* outbox.send(1), 2)
          yield* until("all are delivered", allDelivered)
          assert.strictEqual(yield* outbox.unsent, 0)
          assert.deepStrictEqual(yield* outbox.status, { backlog: 0, dead: 0, oldestPendingAgeMs: 0 })
        })
      )
      const sequences = to.posts.map(({ body }) => entryOf(body).sequence)
      assert.deepStrictEqual(sequences.slice(0, 3), [7, 8, 9])
      assert.sameMembers(sequences, [1, 2, 3, 4, 5, 6, 7, 8, 9])
      assert.isTrue(to.posts.every(({ body }) => entryOf(body).status === "posted"))
    }).pipe(Effect.scoped)
  )
})
