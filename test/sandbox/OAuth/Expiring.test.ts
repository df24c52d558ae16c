import { assert, it } from "@effect/vitest"
import * as Expiring from "../../../sandbox/OAuth/Expiring.ts"

it("adding drops what has expired, and nothing that still lives", () => {
  const kept = Expiring.make<string>(10)
  kept.add("expired", "a", 0)
  kept.add("living", "b", 1)
  kept.add("new", "c", 10_000)
  assert.strictEqual(kept.get("living", 10_000), "b")
  // Asked as if before its end: only a value that is still in memory could be found.
  assert.isUndefined(kept.get("expired", 0))
  assert.strictEqual(kept.get("living", 0), "b")
})
