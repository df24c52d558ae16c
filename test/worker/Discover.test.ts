/** `siteledger discover`, as a person uses it: before anything else is configured. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Review } from "../../src/Discovery/Review.ts"
import { decode } from "../../src/Discovery/Review/Decode.ts"
import { documentOf, integer, listing, object, text } from "../Discovery/Documents.ts"
import { run } from "../RunningWorker.ts"
import { given, paths, project } from "./Discover/Given.ts"

const { environment, file, folder, openapi } = given()
const review = join(folder, "resources.json")
const reviewed = (): Review => Result.getOrThrow(decode(readFileSync(review, "utf8")))

const discover = (...words: ReadonlyArray<string>) => run(environment, "discover", "--review", review, ...words)

describe("discover", () => {
  it("shows what can be synced within 80 columns, and writes the review file", async () => {
    const { code, stderr, stdout } = await discover(openapi)
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(stdout.trimEnd().split("\n"), [
      "list              kind  table    key paging requests  min sure",
      "/projects         list  projects id  page          5 <0.1 high",
      "/projects/{}/ipcs child ipcs     id  page       1000  1.7 high",
      "",
      "4 operations: 1 list, 1 child list, 0 details, 1 action.",
      "1 can't be synced:",
      "     1  It answers a file, not JSON",
      "At 600 requests a minute, one walk of all 2 takes 1005 requests, 1.7 min;",
      "a walk of those that are on (1 list): 5 requests, <0.1 min.",
      "Assumed: 1000 records, 10 for each parent. Set `records` where you know better."
    ])
    assert.include(stderr, `${review} is written: 2 lists, 1 on.`)
    assert.deepStrictEqual(
      reviewed().lists.map(({ on, read }) => [read, on]),
      [
        ["GET /projects", true],
        ["GET /projects/{project_id}/ipcs", false]
      ]
    )
  })

  it("keeps what a person wrote, and says what is new and gone", async () => {
    const before = readFileSync(review, "utf8")
    writeFileSync(review, before.replace(/(ipcs",\n\s+"on": )false/, "$1true"))
    const changed = file(
      "changed.json",
      documentOf({ "/projects": listing(object({ id: integer, name: text, city: text })) })
    )
    const { code, stderr, stdout } = await discover(changed)
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, "new: GET /projects has city VARCHAR.\n")
    assert.include(stdout, "gone: GET /projects has no status any more.\n")
    assert.include(stdout, "gone: GET /projects/{project_id}/ipcs, which is on (ipcs).\n")
    assert.isTrue(reviewed().lists[1]?.on)
    const again = await discover(changed)
    assert.include(again.stderr, `${review} is up to date: 2 lists, 2 on.`)
  })

  it("leaves a review file alone that it can't read, and says where it is wrong", async () => {
    writeFileSync(review, readFileSync(review, "utf8").replace('"table": "ipcs"', '"table": "i; drop"'))
    const before = readFileSync(review, "utf8")
    const { code, stderr } = await discover(openapi)
    assert.strictEqual(code, 2)
    assert.include(
      stderr,
      `siteledger: ${review} has GET /projects/{project_id}/ipcs, whose table isn't a name of small letters`
    )
    assert.strictEqual(readFileSync(review, "utf8"), before)
  })

  it("prints JSON for programs, and writes nothing in a dry run", async () => {
    const none = join(folder, "none.json")
    const { code, stdout } = await run(environment, "discover", openapi, "--json", "--dry-run", "--review", none)
    assert.strictEqual(code, 0)
    const answer = JSON.parse(stdout) as { file: null; operations: ReadonlyArray<object>; review: Review }
    assert.isNull(answer.file)
    assert.strictEqual(answer.operations.length, 4)
    assert.strictEqual(answer.review.lists.length, 2)
    assert.isFalse(existsSync(none))
  })

  it("reads the document of SITELEDGER_OPENAPI, below the configured base address", async () => {
    const v1 = file(
      "v1.json",
      documentOf({ "/v1/projects": listing(project), "/v2/x": listing(project) }, { servers: [] })
    )
    const more = { SITELEDGER_OPENAPI: v1, SITELEDGER_BASE_URL: "https://service.example/v1" }
    const { code, stdout } = await run(
      { ...environment, ...more },
      "discover",
      "--dry-run",
      "--json",
      "--review",
      "no.json"
    )
    assert.strictEqual(code, 0)
    const { operations } = JSON.parse(stdout) as { operations: ReadonlyArray<{ operation: string }> }
    assert.deepStrictEqual(
      operations.map(({ operation }) => operation),
      ["GET /projects", "GET /v2/x"]
    )
    const missing = await run(environment, "discover")
    assert.strictEqual(missing.code, 2)
    assert.include(missing.stderr, "Name the document, or set SITELEDGER_OPENAPI.")
  })

  it("reads YAML", async () => {
    const yaml = file(
      "openapi.yaml",
      `openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /projects: &list
    get:
      responses:
        "200":
          description: Fine
          content:
            application/json:
              schema: { type: array, items: { type: object, properties: { id: { type: integer }, __proto__: { type: string } } } }
  /things: *list
`
    )
    const { code, stderr, stdout } = await run(
      environment,
      "discover",
      yaml,
      "--json",
      "--dry-run",
      "--review",
      "no.json"
    )
    assert.strictEqual(code, 0, stderr)
    const { review: found } = JSON.parse(stdout) as { review: Review }
    assert.deepStrictEqual(
      found.lists.map(({ columns, read }) => [read, columns.map(({ name }) => name)]),
      [
        ["GET /projects", ["id", "proto"]],
        ["GET /things", ["id", "proto"]]
      ]
    )
  })

  it.each([
    ["no-such-file.json", /no-such-file\.json can't be read: there is no such file or folder\./],
    [
      file("swagger.json", { swagger: "2.0" }),
      /swagger\.json is Swagger "2\.0"\. siteledger reads OpenAPI 3\.1 and 3\.0/
    ],
    [file("cut.json", '{\n"openapi": "3.1.0",\n'), /cut\.json isn't JSON: /],
    [file("bad.yaml", "openapi: 3.1.0\npaths:\n  - - x\n"), /bad\.yaml isn't YAML that can be read: .+ at line 3\./],
    [file("words.yaml", "only words"), /words\.yaml isn't OpenAPI: it is no JSON object\./],
    [file("deep.yaml", `a: ${"[".repeat(100_000)}`), /deep\.yaml isn't YAML that can be read: /]
  ])("says what is wrong with %s", async (path, sentence) => {
    const { code, stderr } = await run(environment, "discover", path, "--dry-run", "--review", "no.json")
    assert.strictEqual(code, 1)
    assert.match(stderr, sentence)
    assert.notInclude(stderr, "    at ")
  })
})

describe("a hostile document", () => {
  it("can't move a terminal", async () => {
    const loud = { get: { responses: { "200": { content: { "text/\u001b[31mred": {} } } } } }
    const path = file("loud.json", documentOf({ ...paths, "/loud": loud }))
    const { code, stdout } = await run(environment, "discover", path, "--all", "--dry-run", "--review", "no.json")
    assert.strictEqual(code, 0)
    assert.include(stdout, "It answers text/\\x1b[31mred, not JSON")
    assert.notInclude(stdout, "\u001b")
  })
})
