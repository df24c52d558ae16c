/**
 * What people do in QuickBooks to an entry whose answer was lost: they are told, and no second entry is made.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { message, number, reasonOf, taken, within } from "./World.ts"

describe("a person", () => {
  it.effect("who changes the amount in QuickBooks is told, and no second entry is made", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        yield* post(message())
        const [stored] = quickBooks.entries
        assert.isDefined(stored)
        quickBooks.entries[0] = { ...stored, text: stored.text.replaceAll("1250000.0", "1250000.1") }
        const verdict = yield* post(message())
        assert.strictEqual(verdict._tag, "Refused")
        assert.match(reasonOf(verdict), new RegExp(`${number} with other accounts or amounts`))
        assert.lengthOf(quickBooks.entries, 1)
      })
    )
  )

  it.effect("who deletes the entry is asked, as long as QuickBooks remembers the request", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        yield* post(message())
        const [stored] = quickBooks.entries
        assert.isDefined(stored)
        quickBooks.delete("227")
        const verdict = yield* post(message())
        assert.strictEqual(verdict._tag, "Held")
        assert.match(reasonOf(verdict), new RegExp(`a person has deleted it.*${number}.*sink settle`))
        assert.lengthOf(quickBooks.entries, 0)
        // The person enters it again by hand.
        quickBooks.entries.push(stored)
        assert.deepStrictEqual(yield* post(message()), taken)
      })
    )
  )

  it.effect("who copies the entry under its number is told", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        yield* post(message())
        quickBooks.entries.push(...quickBooks.entries)
        const verdict = yield* post(message())
        assert.strictEqual(verdict._tag, "Refused")
        assert.include(reasonOf(verdict), `2 journal entries numbered ${number}`)
      })
    )
  )
})
