/** The worker's package, as packed. test/Package/ has the client's. */
import { afterAll, assert, it } from "@effect/vitest"
import { execute, Tree } from "./Package/Tree.ts"

const tree = new Tree()
afterAll(() => tree.remove())

it("holds the launcher and built files, no sources, and not the client", async () => {
  const { stdout } = await execute("tar", ["-tzf", await tree.pack()], tree.folder)
  const files = stdout
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""))
  assert.includeMembers(files, ["bin/siteledger", "dist/main.cjs", "config/example.env", "README.md", "LICENSE"])
  assert.deepStrictEqual(
    files.filter((path) => /\.ts$|^(test|bench|trust|src|packages)\//.test(path)),
    []
  )
})
