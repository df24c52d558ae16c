/**
 * Creating, changing and removing records, through the API and the administration; and the faults of a resource of the
 * catalogue.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../../sandbox/Sandbox.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { started } from "./Started.ts"
import { pageOf } from "./Walked.ts"

type Fields = Readonly<Record<string, unknown>>

const fields = (text: string): Fields => Object(Json.parse(text))

const startedWithAdministration = Effect.fnUntraced(function* (options: Parameters<typeof started>[0] = {}) {
  const world = yield* started(options)
  const { ask, sandbox } = world
  const administration = Effect.fnUntraced(function* (method: string, path: string, json?: unknown) {
    const { status, text } = yield* ask(method, `${sandbox.adminUrl}/api${path}`, json === undefined ? {} : { json })
    return { status, body: fields(text) }
  })
  const api = (method: string, path: string, json: unknown = {}) =>
    ask(method, `${sandbox.baseUrl}${path}`, { json, token: world.token })
  return { ...world, administration, api }
})

describe("A record of the catalogue", () => {
  it.effect("is made, changed, decided on and removed through the API", () =>
    Effect.gen(function* () {
      const { api, catalogue, get } = yield* startedWithAdministration()
      const before = catalogue.truth("rfis").length
      const made = yield* api("POST", "/projects/1002/rfis", { number: "7", subject: "A subject", question: "Why?" })
      assert.strictEqual(made.status, 201)
      const { id, question, subject } = fields(made.text)
      assert.deepStrictEqual([subject, question], ["A subject", "Why?"])
      assert.strictEqual(catalogue.truth("rfis").at(-1)?.list, "/projects/1002/rfis")
      assert.strictEqual(catalogue.truth("rfis").length, before + 1)
      const path = `/rfis/${String(id)}`
      assert.deepStrictEqual(fields((yield* get(path)).text), fields(made.text))
      const changed = fields((yield* api("PATCH", path, { subject: "Another" })).text)
      assert.strictEqual(changed["subject"], "Another")
      assert.isAbove(String(changed["updated_at"]).localeCompare(String(changed["created_at"])), 0)
      yield* api("POST", `${path}/close`)
      const { status } = fields((yield* get(path)).text)
      assert.strictEqual(status, "closed")
      assert.strictEqual((yield* api("DELETE", path)).status, 204)
      assert.strictEqual((yield* get(path)).status, 404)
      assert.strictEqual((yield* api("DELETE", path)).status, 404)
      assert.strictEqual(catalogue.truth("rfis").length, before)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("takes what is below it along when it is removed", () =>
    Effect.gen(function* () {
      const { api, catalogue, get } = yield* startedWithAdministration()
      const [line] = catalogue.truth("contract_lines")
      const contract = line?.list.replace("/lines", "") ?? ""
      assert.strictEqual((yield* get(line?.list ?? "")).status, 200)
      assert.strictEqual((yield* api("DELETE", contract)).status, 204)
      assert.strictEqual((yield* get(line?.list ?? "")).status, 404)
      assert.strictEqual((yield* get(line?.item ?? "")).status, 404)
      assert.isFalse(catalogue.truth("contract_lines").some(({ list }) => list === line?.list))
      assert.isAbove(catalogue.truth("contract_lines").length, 0)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is the same for the same seed, whatever was asked before", () =>
    Effect.gen(function* () {
      const all = Effect.fnUntraced(function* (names: "forwards" | "backwards") {
        const { catalogue } = yield* started({ seed: 5 })
        const order = names === "forwards" ? catalogue.names : catalogue.names.toReversed()
        return new Map(order.map((name) => [name, Json.stringify(catalogue.truth(name))]))
      })
      const first = yield* Effect.scoped(all("forwards"))
      const second = yield* Effect.scoped(all("backwards"))
      for (const [name, truth] of first) assert.strictEqual(second.get(name), truth, name)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("The administration", () => {
  it.effect("names the resources, tells the truth of one, and changes its records", () =>
    Effect.gen(function* () {
      const { administration, catalogue } = yield* startedWithAdministration()
      const { body } = yield* administration("GET", "/resources")
      assert.deepInclude(body["data"] as ReadonlyArray<unknown>, { name: "rfis", records: 25, fault: null })
      const changed = yield* administration("POST", "/resources/rfis/edits", { inserts: 4, updates: 2, deletes: 1 })
      assert.deepStrictEqual(changed, { status: 200, body: { name: "rfis", records: 28, fault: null } })
      const truth = yield* administration("GET", "/resources/rfis/truth")
      assert.strictEqual(Json.stringify(truth.body["data"]), Json.stringify(catalogue.truth("rfis")))
      const big = yield* administration("GET", "/resources/audit_entries/truth")
      assert.include(Json.stringify(big.body), '"id":9007199254740993')
      // The test's clock shows 1970, but what was inserted is newer than all that was there before.
      yield* administration("POST", "/resources/companies/edits", { inserts: 4 })
      const times = catalogue.truth("companies").map(({ single }) => String(single["updated_at"]))
      assert.isTrue(times.slice(0, 25).every((time) => time < "2026"))
      assert.isTrue(times.slice(25).every((time) => time >= "2026"))
      assert.lengthOf(times, 29)
      assert.strictEqual((yield* administration("GET", "/resources/nothing/truth")).status, 404)
      assert.strictEqual((yield* administration("POST", "/resources/rfis/edits", { inserts: -1 })).status, 400)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("says that there is no catalogue where there is none", () =>
    Effect.gen(function* () {
      const { ask } = yield* started()
      const small = yield* Sandbox.start({ eventsPerSecond: 0 })
      const { status, text } = yield* ask("GET", `${small.adminUrl}/api/resources`)
      assert.strictEqual(status, 404)
      assert.include(text, "--openapi full")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("A resource with a fault", () => {
  it.effect("answers otherwise than its schema says", () =>
    Effect.gen(function* () {
      const { administration, catalogue, get } = yield* startedWithAdministration({
        resourceFaults: { companies: "no-id" }
      })
      const first = Effect.map(get("/companies"), (answer) => pageOf(answer).rows[0] ?? assert.fail("there is none"))
      const set = (fault: string) => administration("POST", "/resources/companies/fault", { fault })
      assert.notProperty(yield* first, "id")
      assert.strictEqual((yield* get("/companies/1001")).status, 200)
      yield* set("object-id")
      assert.deepStrictEqual((yield* first)["id"], { value: 1001 })
      assert.isString(catalogue.truth("companies")[0]?.single["name"])
      yield* set("other-type")
      assert.strictEqual((yield* first)["name"], 7)
      yield* set("new-field")
      assert.isTrue(Number.isInteger((yield* first)["unannounced"]))
      yield* set("no-field")
      assert.notProperty(yield* first, "name")
      assert.deepStrictEqual((yield* administration("POST", "/resources/companies/fault/off")).body, {
        name: "companies",
        fault: null
      })
      assert.strictEqual(Json.stringify(yield* first), Json.stringify(catalogue.truth("companies")[0]?.listed))
      const wrong = yield* set("none")
      assert.strictEqual(wrong.status, 400)
      assert.include(String(wrong.body["message"]), "other-type, new-field, no-field, no-id, object-id, refused, gone")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is refused as a list, as if the scope were missing, while its records are there", () =>
    Effect.gen(function* () {
      const { get } = yield* started({ resourceFaults: { rfis: "refused" } })
      for (const path of ["/rfis", "/projects/1001/rfis"]) {
        const { headers, status, text } = yield* get(path)
        assert.strictEqual(status, 403)
        assert.include(text, "insufficient_scope")
        assert.include(headers["www-authenticate"] ?? "", "insufficient_scope")
      }
      assert.strictEqual((yield* get("/rfis/1001")).status, 200)
      assert.strictEqual((yield* get("/companies")).status, 200)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("has one record less than it lists, and nothing below that one", () =>
    Effect.gen(function* () {
      const { get } = yield* started({ resourceFaults: { contracts: "gone", projects: "gone" }, records: 40 })
      const statuses = (paths: ReadonlyArray<string>) =>
        Effect.forEach(paths, (path) => Effect.map(get(path), ({ status }) => status))
      assert.deepStrictEqual(pageOf(yield* get("/projects")).rows[0]?.["id"], 1001)
      assert.deepStrictEqual(yield* statuses(["/projects/1001/rfis", "/projects/1002/rfis"]), [404, 200])
      assert.deepStrictEqual(yield* statuses(["/contracts/1001", "/contracts/1001/lines"]), [404, 404])
      assert.deepStrictEqual(yield* statuses(["/contracts/1002", "/contracts/1002/lines"]), [200, 200])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
