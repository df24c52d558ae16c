/**
 * `siteledger discover` from a URL, without a token; and its comparisons: of two documents, or of one with the data.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { documentOf, integer, listing, object, text } from "../../Discovery/Documents.ts"
import { temporaryFolder } from "../../Folders.ts"
import { run } from "../../RunningWorker.ts"
import { given, paths } from "./Given.ts"

const { environment, file, openapi } = given()

describe("from a URL", () => {
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? "without a token"}`)
    const { url = "" } = request
    if (url === "/moved") response.writeHead(302, { location: "/openapi.json" }).end()
    else if (url === "/closed") response.writeHead(401).end()
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(documentOf(paths)))
  })
  let origin = ""
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  it("it is read without a token, even from the service itself", async () => {
    const secrets = {
      SITELEDGER_BASE_URL: `${origin}/v1`,
      SITELEDGER_CLIENT_ID: "me",
      SITELEDGER_CLIENT_SECRET: "a-long-secret"
    }
    const { code, stderr } = await run(
      { ...environment, ...secrets },
      "discover",
      `${origin}/openapi.json`,
      "--dry-run",
      "--review",
      "no.json"
    )
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(asked, ["GET /openapi.json without a token"])
  })

  it.each([
    ["moved", "answered 302. Redirects aren't followed: give the address that it leads to."],
    ["closed", "answered 401. No token is sent: download it, and give the file."]
  ])("an answer without the document is told: %s", async (path, sentence) => {
    const { code, stderr } = await run(environment, "discover", `${origin}/${path}`, "--dry-run", "--review", "no.json")
    assert.strictEqual(code, 1)
    assert.include(stderr, `${origin}/${path} ${sentence}`)
  })

  it("a server that isn't there is told", async () => {
    const { code, stderr } = await run(
      environment,
      "discover",
      "http://127.0.0.1:1/x",
      "--dry-run",
      "--review",
      "no.json"
    )
    assert.strictEqual(code, 1)
    assert.match(stderr, /http:\/\/127\.0\.0\.1:1\/x can't be reached/)
  })
})

describe("compared", () => {
  it("two documents differ in what is unsafe, gone, new and safe; unsafe ends with 1", async () => {
    const now = file("now.json", documentOf({ "/projects": listing(object({ id: integer, name: text, city: text })) }))
    const { code, stdout } = await run(environment, "discover", "--diff", openapi, now)
    assert.strictEqual(code, 1)
    assert.strictEqual(
      stdout,
      [
        "Unsafe: a table or a walk would have to change (1):",
        "  GET /projects: it has no status any more",
        "Gone (3):",
        "  GET /projects/{project_id}/ipcs: it is gone: a child list",
        "  POST /projects/{id}/close: it is gone: an action",
        "  GET /exports: it is gone: not syncable",
        "Safe (1):",
        "  GET /projects: it has city VARCHAR now",
        ""
      ].join("\n")
    )
    const same = await run(environment, "discover", "--diff", openapi, openapi)
    assert.strictEqual(same.code, 0)
    assert.strictEqual(same.stdout, "Nothing that matters for syncing has changed.\n")
  })

  it("a document differs from what came, in the published copy", async () => {
    const nothing = await run(environment, "discover", openapi, "--seen")
    assert.strictEqual(nothing.code, 1)
    assert.include(nothing.stderr, "There is no data to compare with yet")
    const seen = temporaryFolder()
    const instance = await DuckDBInstance.create(join(seen, "analytics.duckdb"))
    const connection = await instance.connect()
    await connection.run("create schema construction")
    await connection.run("create table construction.projects (id bigint, name varchar, status varchar, _extra json)")
    await connection.run(
      `insert into construction.projects values (1, 'a', null, '{"city":"x","status":{"code":1}}'), (2, 'b', null, '{"city":7}'), (3, 'c', null, null)`
    )
    connection.closeSync()
    instance.closeSync()
    const { code, stderr, stdout } = await run(
      { ...environment, SITELEDGER_DATA_DIR: seen },
      "discover",
      openapi,
      "--seen",
      "--json"
    )
    assert.strictEqual(code, 1, stderr)
    assert.sameDeepMembers(JSON.parse(stdout) as Array<object>, [
      {
        of: "GET /projects",
        verdict: "unsafe",
        what: "status came as object in 1 of 3 rows, which doesn't fit VARCHAR"
      },
      {
        of: "GET /projects",
        verdict: "new",
        what: "city came as ubigint or varchar in 2 of 3 rows, and isn't in the document"
      }
    ])
  })
})
