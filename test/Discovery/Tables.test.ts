/**
 * Which paths are below the base address, which tables lists become, and which operations are lists without saying so.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  answering,
  array,
  discovered,
  documentOf,
  inPath,
  integer,
  kindsOf,
  listAt,
  listing,
  object,
  of,
  page,
  text,
  typesOf,
  whyNot
} from "./Documents.ts"

const project = object({ id: integer, name: text, status: text })

describe("paths", () => {
  it.each([
    ["the servers", [{ url: "https://x.example/v1" }], "/projects"],
    [
      "a variable of the servers",
      [{ url: "{base}/v1", variables: { base: { default: "https://x.example" } } }],
      "/projects"
    ],
    ["the paths", [{ url: "https://x.example/" }], "/v1/projects"],
    ["nowhere", undefined, "/projects"]
  ])("are those below the base address, if its version is in %s", (_where, servers, path) => {
    const document = documentOf({ [path]: listing(project) }, { servers })
    for (const base of [undefined, "/v1"]) {
      const found = discovered(document, base === undefined ? {} : { base })
      assert.deepStrictEqual(Object.keys(kindsOf(found)), ["GET /projects"])
      assert.isTrue(listAt(found, "/projects").on)
    }
  })

  it("beside the base address can't be reached", () => {
    const document = documentOf({ "/v1/projects": listing(project), "/v2/projects": listing(project) }, { servers: [] })
    const found = discovered(document, { base: "/v1" })
    assert.strictEqual(whyNot(found, "GET /v2/projects"), "Its path isn't below /v1 of the base address.")
    assert.isTrue(listAt(found, "/projects").on)
  })
})

describe("tables", () => {
  it("that two lists would be are named by what the lists belong to", () => {
    const thing = object({ id: integer })
    const found = of({
      "/companies": listing(thing),
      "/projects": listing(project),
      "/companies/{company_id}/contacts": listing(thing, inPath("company_id")),
      "/projects/{project_id}/contacts": listing(thing, inPath("project_id"))
    })
    assert.deepStrictEqual(
      found.review.lists.map(({ table }) => table),
      ["companies", "projects", "company_contacts", "project_contacts"]
    )
    assert.include(
      listAt(found, "/projects/{project_id}/contacts").reasons,
      "2 lists would be the table contacts, so this one is project_contacts."
    )
  })

  it("leave the plain name to the list that needs no parent, and say that both may be the same records", () => {
    const components = { schemas: { Invoice: object({ id: integer, project_id: integer }) } }
    const invoice = { $ref: "#/components/schemas/Invoice" }
    const found = of(
      {
        "/projects": listing(project),
        "/projects/{project_id}/invoices": listing(invoice, inPath("project_id")),
        "/invoices": listing(invoice)
      },
      { components }
    )
    assert.strictEqual(listAt(found, "/invoices").table, "invoices")
    const child = listAt(found, "/projects/{project_id}/invoices")
    assert.strictEqual(child.table, "project_invoices")
    assert.strictEqual(child.sameAs, "invoices")
  })

  it("that siteledger has besides its resources are another's", () => {
    const found = of({ "/events": listing(object({ id: integer })) })
    assert.strictEqual(listAt(found, "/events").table, "listed_events")
    assert.include(listAt(found, "/events").reasons, "siteledger has a table events, so this one is listed_events.")
  })

  it("of resources take the list's rows, and keep their own types", () => {
    const found = of({ "/ipcs": listing(object({ ipc_id: integer, status: text, paid_at: text, draft_amount: text })) })
    const list = listAt(found, "/ipcs")
    assert.strictEqual(list.table, "ipcs")
    assert.deepStrictEqual(list.key, ["id"])
    assert.deepStrictEqual(typesOf(list), {
      id: "VARCHAR",
      // What events say of an IPC's life is another thing.
      listed_status: "VARCHAR",
      listed_paid_at: "VARCHAR",
      draft_amount: "DECIMAL(28,4)"
    })
  })

  it("of resources take no rows whose ids can't be their keys", () => {
    const found = of({ "/projects": listing(object({ id: text, name: text })) })
    assert.notStrictEqual(listAt(found, "/projects").table, "projects")
  })
})

describe("without an envelope, parameters or a schema", () => {
  it("an array is a list, a map isn't, and an answer without a schema is nothing", () => {
    const found = of({
      "/things": { get: answering(array(object({ id: integer }))) },
      "/names": { get: answering(array(text)) },
      "/map": { get: answering({ type: "object", additionalProperties: object({ id: integer }) }) },
      "/any": { get: { responses: { "200": { content: { "application/json": {} } } } } },
      "/none": { get: { responses: { "404": { description: "" } } } }
    })
    assert.deepStrictEqual(listAt(found, "/things").answer, { rows: "" })
    assert.strictEqual(whyNot(found, "GET /names"), "It answers a list of string values, not a list of records.")
    assert.strictEqual(whyNot(found, "GET /map"), "It answers an object of values by name, not a list of records.")
    assert.strictEqual(whyNot(found, "GET /any"), "Its answer has no schema.")
    assert.strictEqual(whyNot(found, "GET /none"), "Its answer isn't described.")
  })

  it("a list that tells of pages, as in the interface document, is asked for pages", () => {
    const found = of({ "/projects": { get: answering(page(project)) } })
    assert.deepStrictEqual(listAt(found, "/projects").paging, {
      style: "page",
      page: "page",
      size: "per_page",
      first: 1
    })
    assert.strictEqual(listAt(found, "/projects").confidence, "medium")
  })
})
