/** Which stores belong to the configured service: those of any version of its API, for this client only. */
import { assert, describe, it } from "@effect/vitest"
import { isSame } from "../../connectors/construction/ConstructionIdentity.ts"

const noted = (baseUrl: string, clientId = "client") => JSON.stringify({ baseUrl, clientId })
const ours = noted("https://a.example/v1")

describe("a store", () => {
  it.each([
    ["another version", noted("https://a.example/v2"), true],
    ["no version", noted("https://a.example"), true],
    ["another host", noted("https://b.example/v1"), false],
    ["another path", noted("https://a.example/test/v1"), false],
    ["another client", noted("https://a.example/v1", "other"), false]
  ])("of %s", (_, other, expected) => assert.strictEqual(isSame(other, ours), expected))

  it("of a client whose id ends like a version is its own", () => {
    assert.isFalse(isSame(noted("https://a.example", "app/v1"), noted("https://a.example", "app/v2")))
  })
})
