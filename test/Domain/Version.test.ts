import { assert, describe, it } from "@effect/vitest"
import * as Version from "../../src/Domain/Version.ts"
import { forSeeds, type Random } from "../Seeded.ts"

type Triple = readonly [micros: number, stage: number, hash: string]

const hash = (start: string) => start.padEnd(64, "0")

const versionOf = ([micros, stage, sha256]: Triple) => Version.make(micros, stage, sha256)

const compare = (a: Triple, b: Triple): number => {
  for (const index of [0, 1, 2] as const) if (a[index] !== b[index]) return a[index] < b[index] ? -1 : 1
  return 0
}

const triple = (random: Random): Triple => [
  random.pick([0, 1, 9, 10, 999_999, 1_763_600_000_000_000, 1_763_600_000_000_001, 9_007_199_254_740_991]),
  random.below(5),
  hash(random.pick(["", "0", "0a", "9", "a", "b", "ffffffffffffffff", "fffffffffffffffe"]))
]

describe("Version", () => {
  it("orders by time, then stage, then hash", () => {
    assert.isTrue(Version.isAfter(Version.make(2, 0, hash("0")), Version.make(1, 4, hash("f"))))
    assert.isTrue(Version.isAfter(Version.make(1, 2, hash("0")), Version.make(1, 1, hash("f"))))
    assert.isTrue(Version.isAfter(Version.make(1, 1, hash("b")), Version.make(1, 1, hash("a"))))
    assert.isTrue(Version.isAfter(Version.make(10, 0, hash("0")), Version.make(9, 0, hash("0"))))
  })

  it("sorts like its triple", () => {
    forSeeds(20_000, (random) => {
      const [a, b] = [triple(random), triple(random)]
      assert.strictEqual(
        Version.isAfter(versionOf(a), versionOf(b)),
        compare(a, b) > 0,
        `${versionOf(a)} ${versionOf(b)}`
      )
    })
  })

  it("is not after itself", () => {
    const now = Version.make(1_763_600_000_000_000, 3, hash("ab"))
    assert.isFalse(Version.isAfter(now, now))
  })

  it("is after no version at all, even if all parts are zero", () => {
    const first = Version.make(0, 0, "")
    assert.isTrue(Version.isAfter(first, undefined))
    assert.isTrue(Version.isAfter(first, Version.never))
    assert.isFalse(Version.isAfter(Version.never, undefined))
  })

  it("puts a tombstone before any page and event of the same microsecond", () => {
    const tombstone = Version.make(5, 0, "")
    assert.isTrue(Version.isAfter(Version.make(5, 0, hash("0")), tombstone))
    assert.isTrue(Version.isAfter(Version.make(5, 1, hash("0")), tombstone))
  })

  it("uses 64 bits of the hash", () => {
    assert.notStrictEqual(Version.make(1, 1, hash("0000000000000001")), Version.make(1, 1, hash("0000000000000002")))
    assert.strictEqual(Version.make(1, 1, hash("00000000000000001")), Version.make(1, 1, hash("00000000000000002")))
  })
})
