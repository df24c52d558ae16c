/** How a list is asked for its changes: the filter's place and form, and the overlap with what is already known. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import { ConstructionClient } from "../../connectors/construction/ConstructionClient.ts"
import { isUnchanged } from "../../connectors/construction/ConstructionAnswer.ts"
import * as Requests from "../../connectors/construction/ConstructionRequests.ts"
import type { List } from "../../src/Discovery/Review.ts"
import { calling, json, withTokens } from "./Called.ts"
import { listOf } from "./ReviewedLists.ts"

type Filter = NonNullable<List["refresh"]["changed"]>

const filtered = (given: Partial<Filter>, more: Partial<List> = {}): List =>
  listOf({
    refresh: {
      every: "1 hour",
      changed: { parameter: "since", in: "query", as: "date-time", whole: "1 day", ...given }
    },
    ...more
  })

const since = "2026-03-01T00:04:59.999999Z"
const asked = { page: 1, perPage: 100 }

describe("what changed since a time", () => {
  it("is asked for in the filter's form, ten minutes before it, and of days two before it", () => {
    const query = (given: Partial<Filter>) => Requests.of(filtered(given), asked, 100, since).query
    assert.deepStrictEqual(query({}), { since: "2026-02-28T23:54:59Z" })
    assert.deepStrictEqual(query({ as: "unix-seconds" }), { since: String(Date.UTC(2026, 1, 28, 23, 54, 59) / 1000) })
    assert.deepStrictEqual(query({ as: "date" }), { since: "2026-02-27" })
    const { headers, query: none } = Requests.of(
      filtered({ as: "http-date", in: "header", parameter: "If-Modified-Since" }),
      asked,
      100,
      since
    )
    assert.deepStrictEqual(headers, { "If-Modified-Since": "Sat, 28 Feb 2026 23:54:59 GMT" })
    assert.deepStrictEqual(none, {})
  })

  it("is asked for with each page, but where the next page's address has it", () => {
    const where = { granted: 100, from: "/things?page=2&since=x", parameters: {}, since }
    const link = filtered({}, { paging: { style: "link", next: "/next" } })
    assert.deepStrictEqual(Requests.following(link, asked, where)?.query, {})
    const inHeader = filtered({ in: "header" }, { paging: { style: "link", next: "/next" } })
    assert.property(Requests.following(inHeader, asked, where)?.headers, "since")
    const cursor = filtered({}, { paging: { style: "cursor", cursor: "cursor", next: "/next" } })
    assert.deepStrictEqual(Requests.following(cursor, asked, { ...where, from: "c" })?.query, {
      since: "2026-02-28T23:54:59Z",
      cursor: "c"
    })
  })

  it("isn't asked for by a whole walk, nor below a parent", () => {
    assert.deepStrictEqual(Requests.of(filtered({}), asked).query, {})
    const otherwise = Duration.hours(7)
    const { every, whole } = Requests.refreshed(filtered({}), otherwise)
    assert.deepStrictEqual(
      [every, whole].map((each) => each && Duration.toHours(each)),
      [1, 24]
    )
    const parent = { table: "projects", parameters: { project_id: "id" } }
    assert.isUndefined(Requests.refreshed(filtered({}, { parent }), otherwise).whole)
    assert.isUndefined(Requests.refreshed(listOf(), otherwise).whole)
  })

  it.live("that is answered by 304 is nothing, and no fault of anyone's", () =>
    calling(
      withTokens((response) => response.writeHead(304, json).end()),
      () =>
        Effect.gen(function* () {
          const client = yield* ConstructionClient
          const call = client.call(
            "backfill",
            (_api, http) => http.execute(HttpClientRequest.get("/things")),
            Effect.succeed
          )
          assert.isTrue(isUnchanged(yield* Effect.flip(call)))
        })
    )
  )
})
