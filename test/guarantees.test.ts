/** docs/guarantees.md names a test for each guarantee of README, and every test that it names is there. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { read, root } from "./Tidy/Sources.ts"

const rows = [...read("docs/guarantees.md").matchAll(/^\| (.+) \| \[.+\]\(\.\.\/(test\/.+)\) \| (.+) \|$/gm)].map(
  ([, guarantee = "", file = "", title = ""]) => ({ guarantee, file, title })
)

/** The words in bold that a guarantee begins with. */
const guarantees = [
  ...(/^## What is guaranteed\n(.*?)^## /ms.exec(read("README.md"))?.[1] ?? "").matchAll(/^- \*\*(.+?)\.?\*\*/gm)
].map(([, guarantee]) => guarantee ?? "")

const isTest = ({ file, title }: { readonly file: string; readonly title: string }): boolean =>
  existsSync(join(root, file)) && [`"${title}"`, `\`${title}\``].some((literal) => read(file).includes(literal))

describe("docs/guarantees.md", () => {
  it("has a test for each guarantee of README, and names no other", () => {
    assert.isAtLeast(guarantees.length, 9)
    assert.sameMembers([...new Set(rows.map(({ guarantee }) => guarantee))], guarantees)
  })

  it("names tests that there are", () => {
    assert.deepStrictEqual(
      rows.filter((row) => !isTest(row)),
      []
    )
  })

  it("says nothing in its table that isn't read here", () => {
    const lines = read("docs/guarantees.md").split("\n")
    assert.strictEqual(lines.filter((line) => line.startsWith("|")).length - 2, rows.length)
  })
})
