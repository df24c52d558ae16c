/** Values of records that a fault of their resource spoils. */
import { assert, describe, it } from "@effect/vitest"
import { spoilt } from "../../../sandbox/Catalogue/Faults.ts"
import * as Json from "../../../src/Domain/Json.ts"

describe("A field that nobody announced", () => {
  it.each(['"P-1"', "17", "12345678901234567890", '{"value":"P-1"}', "null"])(
    "comes with a record whose id is %s",
    (id) => {
      const record = Json.parse(`{"id":${id}}`) as Record<string, unknown>
      const { unannounced } = spoilt("new-field", record, "id", "name")
      assert.strictEqual(typeof unannounced, "number")
      assert.deepStrictEqual(spoilt("new-field", record, "id", "name")["unannounced"], unannounced)
    }
  )
})
