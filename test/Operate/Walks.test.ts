/** The verb `walks` on both engines: its order, its pages, and what it says of a list that it doesn't know. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import type { Answer, Payload } from "../../src/Operate/AdminApi.ts"
import { walks } from "../../src/Operate/Walks.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import { engines } from "../Stores/StoreEngines.ts"
import { listModel } from "../Walk/ListModel.ts"

const startMs = Date.parse("2026-11-27T10:00:00Z")

/** The nth second of the day. */
const at = (second: number): string => Instant.fromMillis(startMs + second * 1000)

const begin = Effect.fnUntraced(function* (resource: string, pass: number, second: number) {
  const begun = Checkpoints.following(listModel([], { resource }), undefined, at(second - 1))
  const state = { ...begun, pass, rows: 7, total: 8 }
  yield* Checkpoints.begin(yield* Store, state)
  return state
})

const end = Effect.fnUntraced(function* (resource: string, pass: number, second: number) {
  const state = yield* begin(resource, pass, second)
  const found = { deleted: 2, disturbance: `${resource} ${pass}` }
  const parents = resource === "vos" ? { parents: 5, parents_sure: 4 } : {}
  const ended = { ...state, ...parents, finished_at: at(second), proof: "unproven", proof_at: at(second) }
  yield* Checkpoints.end(yield* Store, ended, found)
})

const pages = Effect.fnUntraced(function* (payload: Payload<"walks">) {
  const found: Array<Answer<"walks">["walks"]> = []
  for (let after: string | undefined; ;) {
    const page = yield* walks({ ...payload, ...(after === undefined ? {} : { after }) })
    found.push(page.walks)
    // A pass that ends meanwhile is newer than all that follow.
    yield* end("ncrs", 90 + found.length, 1000 + found.length)
    if (page.next === null || found.length > 9) return found
    after = page.next
  }
})

describe.each(engines)("walks of the past in $name", ({ isSkipped, place }) => {
  const test = <E>(fact: string, body: () => Effect.Effect<void, E, Store>) =>
    it.effect.skipIf(isSkipped)(fact, () =>
      Effect.gen(function* () {
        const { layer } = yield* place
        yield* Effect.provide(body(), layer)
      }).pipe(Effect.scoped)
    )

  test("come newest first, and page by page none twice and none left out", () =>
    Effect.gen(function* () {
      // Two end at the same time, on two pages.
      for (const [list, pass, second] of [
        ["ipcs", 1, 1],
        ["vos", 1, 2],
        ["projects", 1, 2],
        ["ipcs", 2, 3]
      ] as const)
        yield* end(list, pass, second)
      const names = (all: ReadonlyArray<Answer<"walks">["walks"]>) =>
        all.map((page) => page.map(({ list, pass }) => `${list} ${pass}`))
      assert.deepStrictEqual(names(yield* pages({ last: 2 })), [
        ["ipcs 2", "vos 1"],
        ["projects 1", "ipcs 1"]
      ])
      assert.deepStrictEqual(names(yield* pages({ last: 1, list: "ipcs" })), [["ipcs 2"], ["ipcs 1"]])
      assert.deepStrictEqual((yield* walks({ list: "vos" })).walks, [
        {
          list: "vos",
          pass: 1,
          startedAt: at(1),
          endedAt: at(2),
          proof: "unproven",
          disturbance: "vos 1",
          rows: 7,
          total: 8,
          pages: 0,
          deleted: 2,
          parents: { found: 5, proven: 4 }
        }
      ])
    }))

  test("of a list under way for the first time are none; one that there isn't, and a page that there isn't, are said so", () =>
    Effect.gen(function* () {
      yield* begin("projects", 1, 1)
      assert.deepStrictEqual(yield* walks({ list: "projects" }), { walks: [], next: null })
      const unknown = yield* Effect.flip(walks({ list: "nothing" }))
      assert.strictEqual(String(unknown.message), "No list nothing has been walked. These have: projects.")
      const end = yield* Effect.flip(walks({ after: "yesterday" }))
      assert.match(String(end.message), /^No page of walks ends at yesterday/)
    }))
})
