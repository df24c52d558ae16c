/**
 * Entries are drafts until someone has said what certified amounts are, regardless of the configured status; then they
 * are as configured.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Certificates } from "../../../config/Certificates.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { certified, created, folder, hear, journal, payment, verified } from "../Started.ts"
import { accounts, allDelivered, entryOf, letters, sending, unsending, until } from "./SinkWorld.ts"

const said: Certificates = {
  standard: null,
  payable: [],
  byProject: { "7": { amounts: "each", certifiedBefore: null, payable: null } }
}

const queued = Effect.map(journal, (entries) =>
  entries.map(({ certified_as, ipc_id, queued: status }) => `${ipc_id} ${certified_as} ${status}`)
)
const sentAs = Effect.map(letters, (rows) => rows.map(({ ipc_id, status }) => `${ipc_id} ${status}`))

describe("entries to be posted at once", () => {
  it.live("are drafts where nobody has said what certified amounts are", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const [path, to] = yield* Effect.all([folder, accounts])
        yield* unsending(path, hear(payment("Z")), said)
        const body = Effect.gen(function* () {
          yield* hear([created("A", 1, 5, "7"), ...payment("A")])
          yield* hear([created("B", 1, 5, "8"), ...payment("B")])
          yield* hear([certified("A", 2, 20, "6.0000"), certified("B", 2, 21, "6.0000")])
          yield* until("all are delivered", allDelivered)
          assert.deepStrictEqual((yield* queued).slice(1), [
            "A each posted",
            "B assumed draft",
            "A each posted",
            "B assumed draft"
          ])
          assert.deepStrictEqual(yield* sentAs, ["A posted", "B draft", "A posted", "B draft"])
          // What was never queued, too.
          yield* Effect.flatMap(Outbox, ({ send }) => send(1))
          yield* until("all are delivered", allDelivered)
          assert.include(yield* sentAs, "Z draft")
          assert.deepStrictEqual((yield* verified).differences, [])
        })
        yield* sending(path, to, { status: "posted", certificates: said }, body)
        assert.sameMembers(
          to.posts.map((post) => {
            const { certified_as, ipc_id, status } = entryOf(post.body)
            return `${ipc_id} ${certified_as} ${status}`
          }),
          ["A each posted", "A each posted", "B assumed draft", "B assumed draft", "Z assumed draft"]
        )
      })
    )
  )
})
