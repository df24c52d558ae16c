/** The file that says what certified amounts are; what is wrong with one is said in a sentence that repeats no value. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { certificates } from "../../config/LedgerFile.ts"
import { temporaryFolder } from "../Folders.ts"

const read = (content: string) => {
  const path = join(temporaryFolder(), "ledger.json")
  writeFileSync(path, content)
  return certificates(path)
}

const refusalOf = (content: string): string => Result.getOrThrow(Result.flip(read(content)))

describe("the ledger's file", () => {
  it("says what certified amounts are, by default and for single projects", () => {
    assert.deepStrictEqual(Result.getOrThrow(certificates("config/ledger.example.json")), {
      standard: "cumulative",
      byProject: {
        "4711": { amounts: null, certifiedBefore: "125000.0000" },
        "4712": { amounts: null, certifiedBefore: "0.0000" },
        "4713": { amounts: "each", certifiedBefore: null }
      }
    })
    assert.deepStrictEqual(Result.getOrThrow(read(`\uFEFF{}`)), { standard: null, byProject: {} })
    const single = read(`{ "projects": { "7": { "certificates": "cumulative", "certifiedBefore": "10.5" } } }`)
    assert.deepStrictEqual(Result.getOrThrow(single), {
      standard: null,
      byProject: { "7": { amounts: "cumulative", certifiedBefore: "10.5000" } }
    })
  })

  it.each([
    ["not json", "names a file that isn't JSON."],
    ["[]", "names a file that isn't a JSON object."],
    [`{ "certificates": "secret" }`, `names a file whose certificates isn't "each" or "cumulative".`],
    [`{ "certificate": "each" }`, "names a file whose certificate isn't known to this version."],
    [`{ "projects": [] }`, "names a file whose projects isn't an object of projects by their ids."],
    [`{ "projects": { "7": "each" } }`, "names a file whose projects.7 isn't an object."],
    [
      `{ "projects": { "7": { "certificates": 1 } } }`,
      `names a file whose projects.7.certificates isn't "each" or "cumulative".`
    ],
    [
      `{ "projects": { "7": { "certificates": "cumulative", "certifiedBefore": 100 } } }`,
      `names a file whose projects.7.certifiedBefore isn't an amount like "125000.00".`
    ],
    [
      `{ "projects": { "7": { "certificates": "cumulative", "certifiedBefore": "1.00001" } } }`,
      `names a file whose projects.7.certifiedBefore isn't an amount like "125000.00".`
    ],
    [
      `{ "projects": { "7": { "certificates": "each", "certifiedBefore": "1" } } }`,
      "names a file whose projects.7.certifiedBefore says something only where certificates are cumulative."
    ],
    [
      `{ "projects": { "7": { "certifiedBefore": "1" } } }`,
      "names a file whose projects.7.certifiedBefore says something only where certificates are cumulative."
    ],
    [
      `{ "projects": { "P7": { "certificates": "each" } } }`,
      "names a file whose projects aren't named by their ids, which are whole numbers."
    ],
    [`{ "projects": { "07": {} } }`, "names a file whose projects aren't named by their ids, which are whole numbers."]
  ])("is refused if it is %s", (content, sentence) => {
    assert.strictEqual(refusalOf(content), sentence)
  })

  it("is refused if it can't be read", () => {
    assert.strictEqual(
      Result.getOrThrow(Result.flip(certificates("nowhere/ledger.json"))),
      "names a file that cannot be read."
    )
  })
})
