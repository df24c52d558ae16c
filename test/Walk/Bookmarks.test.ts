/**
 * The position of a pass over a child list: what its saved text holds, and which parents no one may begin meanwhile.
 */
import { assert, describe, it } from "@effect/vitest"
import { Bookmarks } from "../../src/Walk/Bookmarks.ts"

const parent = (key: string) => ({ key, values: {} })

describe("a parent that a pass has begun", () => {
  it("is under way until its end is saved, although the text that is saved with it has no bookmark for it any more", () => {
    const bookmarks = Bookmarks.first(undefined)
    bookmarks.begin(parent("a"))
    bookmarks.begin(parent("b"))
    bookmarks.advance("a", "page 2", 7)
    assert.strictEqual(bookmarks.finish("a"), 7)
    const again = Bookmarks.read(bookmarks.text)
    assert.deepStrictEqual(
      again?.begun.map(({ key }) => key),
      ["b"]
    )
    assert.deepStrictEqual([...bookmarks.underWay].toSorted(), ["a", "b"])
    bookmarks.saved()
    assert.deepStrictEqual([...bookmarks.underWay], ["b"])
  })
})
