/** What discovery concludes from the shape of each operation alone, and what a list would become. */
import { assert, describe, it } from "@effect/vitest"
import {
  answering,
  inPath,
  integer,
  kindsOf,
  listAt,
  listing,
  object,
  of,
  page,
  query,
  text,
  whyNot
} from "./Documents.ts"

const project = object({ id: integer, name: text, status: text })
const ipc = object({ id: text, project_id: integer, amount: { type: "number" }, status: text })
const line = object({ line_no: integer, description: text })

const construction = {
  "/projects": { ...listing(project), post: answering(project) },
  "/projects/{id}": { get: answering(project, { parameters: inPath("id") }), delete: { responses: {} } },
  "/projects/{project_id}/ipcs": listing(ipc, inPath("project_id")),
  "/ipcs/{ipc_id}": { get: answering(ipc, { parameters: inPath("ipc_id") }) },
  "/ipcs/{ipc_id}/lines": listing(line, inPath("ipc_id")),
  "/ipcs/{ipc_id}/approve": { post: answering(ipc) },
  "/me": { get: answering(project) },
  "/ipcs/{ipc_id}/pdf": { get: { responses: { "200": { content: { "application/pdf": {} } } } } }
}

describe("each operation", () => {
  it("is a list, a child list, a detail, an action or not syncable, and says why", () => {
    const found = of(construction)
    assert.deepStrictEqual(kindsOf(found), {
      "GET /projects": "list",
      "POST /projects": "action",
      "GET /projects/{id}": "detail",
      "DELETE /projects/{id}": "action",
      "GET /projects/{project_id}/ipcs": "child list",
      "GET /ipcs/{ipc_id}": "detail",
      "GET /ipcs/{ipc_id}/lines": "child list",
      "POST /ipcs/{ipc_id}/approve": "action",
      "GET /me": "not syncable",
      "GET /ipcs/{ipc_id}/pdf": "not syncable"
    })
    assert.isTrue(found.operations.every(({ confidence, reasons }) => confidence !== undefined && reasons.length > 0))
    assert.strictEqual(whyNot(found, "GET /me"), "It answers one object, not a list of records.")
    assert.strictEqual(whyNot(found, "GET /ipcs/{ipc_id}/pdf"), "It answers application/pdf, not JSON.")
  })

  it("starts off, but for the lists that the interface document shows", () => {
    const { lists } = of({ ...construction, "/vos": listing(ipc) }).review
    assert.deepStrictEqual(
      lists.filter(({ on }) => on).map(({ read }) => read),
      ["GET /projects"]
    )
  })
})

describe("a list", () => {
  it("has all that a walk needs", () => {
    const { columns: _columns, reasons: _reasons, ...list } = listAt(of(construction), "/projects")
    assert.deepStrictEqual(list, {
      read: "GET /projects",
      on: true,
      kind: "list",
      table: "projects",
      key: ["id"],
      answer: { rows: "/data", total: "/pagination/total", page: "/pagination/page", size: "/pagination/per_page" },
      paging: { style: "page", page: "page", first: 1, size: "per_page", largest: 200 },
      scope: [],
      refresh: { every: "1 hour" },
      walk: { records: 1000, requests: 5, minutes: 0.0083 },
      detail: "GET /projects/{id}",
      confidence: "high"
    })
  })

  it("of children is read for each row of its parent, whose key fills the path", () => {
    const found = of(construction)
    const ipcs = listAt(found, "/projects/{project_id}/ipcs")
    assert.deepStrictEqual(ipcs.parent, { table: "projects", parameters: { project_id: "id" } })
    assert.deepStrictEqual(ipcs.key, ["id"])
    assert.deepStrictEqual(ipcs.walk, { records: 10_000, requests: 1000, minutes: 1.7 })
    assert.deepStrictEqual(ipcs.refresh, { every: "1 hour" })
    const lines = listAt(found, "/ipcs/{ipc_id}/lines")
    assert.deepStrictEqual(lines.parent, { table: "ipcs", parameters: { ipc_id: "id" } })
    assert.strictEqual(lines.table, "ipc_lines")
    // A line's number names it only within its IPC.
    assert.deepStrictEqual(lines.key, ["ipc_id", "line_no"])
    assert.deepInclude(lines.columns, { name: "ipc_id", type: "VARCHAR", use: "keep", parameter: "ipc_id" })
    assert.strictEqual(lines.refresh.every, "6 hours")
  })

  it("below the same path takes the parent's own parameters from its row", () => {
    const found = of({
      "/sites": listing(object({ id: integer })),
      "/sites/{site_id}/plots": listing(object({ number: integer }), inPath("site_id")),
      "/sites/{site_id}/plots/{plot_number}/keys": listing(object({ id: text }), inPath("site_id", "plot_number"))
    })
    assert.deepStrictEqual(listAt(found, "/sites/{site_id}/plots/{plot_number}/keys").parent, {
      table: "plots",
      parameters: { site_id: "site_id", plot_number: "number" }
    })
    assert.deepStrictEqual(listAt(found, "/sites/{site_id}/plots/{plot_number}/keys").key, [
      "site_id",
      "plot_number",
      "id"
    ])
  })

  it("of a member, who may have several parents, is named together with its parent", () => {
    const found = of({
      "/projects": listing(project),
      "/projects/{project_id}/members": listing(object({ id: integer, email: text }), inPath("project_id"))
    })
    assert.deepStrictEqual(listAt(found, "/projects/{project_id}/members").key, ["project_id", "id"])
  })

  it("that requires a parent in its query is its child", () => {
    const found = of({
      "/projects": listing(project),
      "/defects": listing(object({ id: text }), [query("project_id", integer, { required: true })])
    })
    const defects = listAt(found, "/defects")
    assert.strictEqual(defects.kind, "child list")
    assert.deepStrictEqual(defects.parent, { table: "projects", parameters: { project_id: "id" } })
  })

  it("that requires a value waits for a person, and is off", () => {
    const found = of({
      "/projects": {
        get: answering(page(project), {
          parameters: [
            query("company", text, { required: true }),
            query("version", { const: "2" }, { required: true }),
            { name: "X-Tenant", in: "header", required: true, schema: text }
          ]
        })
      }
    })
    const list = listAt(found, "/projects")
    assert.deepStrictEqual(list.query, { company: null, version: "2" })
    assert.deepStrictEqual(list.headers, { "X-Tenant": null })
    assert.deepStrictEqual(list.needs, [
      "It requires company: give its value under query.",
      "It requires X-Tenant: give its value under headers."
    ])
    assert.strictEqual(list.kind, "list")
    assert.isFalse(list.on)
  })

  it("that answers a question can't be synced", () => {
    const found = of({ "/search": listing(project, [query("q", text, { required: true })]) })
    assert.match(whyNot(found, "GET /search"), /It answers a question \(q\), and lists nothing without one\./)
  })

  it("shows all, in an order that pages can rely on, where the document has a filter and an order", () => {
    const { query: sent } = listAt(
      of({
        "/projects": listing(project, [
          query("state", { type: "string", enum: ["open", "closed", "all"], default: "open" }),
          query("sort", { type: "string", enum: ["name", "created_at"] })
        ])
      }),
      "/projects"
    )
    assert.deepStrictEqual(sent, { state: "all", sort: "created_at" })
  })

  it("is asked for what changed, where the document has a filter for it", () => {
    const { refresh } = listAt(
      of({
        "/projects": listing(object({ id: integer, updated_at: { type: "string", format: "date-time" } }), [
          query("updated_since", { type: "string", format: "date-time" })
        ])
      }),
      "/projects"
    )
    assert.deepStrictEqual(refresh, {
      every: "1 hour",
      changed: { parameter: "updated_since", in: "query", as: "date-time", column: "updated_at", whole: "1 day" }
    })
  })

  it("asks for the scopes of its operation, else of the document", () => {
    const security = { components: { securitySchemes: { login: { type: "oauth2" }, key: { type: "apiKey" } } } }
    const found = of(
      {
        "/projects": { get: answering(page(project), { security: [{ key: [] }, { login: ["projects.read"] }] }) },
        "/ipcs": { get: answering(page(ipc)) }
      },
      { ...security, security: [{ login: ["all.read"] }] }
    )
    assert.deepStrictEqual(listAt(found, "/projects").scope, ["projects.read"])
    assert.deepStrictEqual(listAt(found, "/ipcs").scope, ["all.read"])
  })
})
