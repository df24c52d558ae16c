/** An answer that doesn't match its review file: the list is blamed, and never the service. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import { ConstructionClient, type Patience } from "../../connectors/construction/ConstructionClient.ts"
import { readList } from "../../connectors/construction/ConstructionPages.ts"
import { shapeOf } from "../../connectors/construction/ConstructionShapes.ts"
import { calling, json, listed, withTokens } from "./Called.ts"
import { reasons } from "./ConstructionAuth/Tokens.ts"
import { listOf } from "./ReviewedLists.ts"

const called = (patience: Patience) =>
  Effect.flatMap(ConstructionClient, (client) =>
    client.call(
      "backfill",
      (_api, http) => http.execute(HttpClientRequest.get("/things")),
      (answer) => readList(answer, shapeOf(listOf())),
      patience
    )
  )
const things = called({ misread: 2 })

const page = { data: [], pagination: { total: 0, page: 1, per_page: 50 } }

it.live("an answer without its rows ends the call after some, opens no reason of the service's, and clears none", () =>
  calling(
    withTokens((response, what) =>
      response.writeHead(200, json).end(JSON.stringify(what.includes("/things") ? { rows: [] } : page))
    ),
    (service) =>
      Effect.gen(function* () {
        yield* listed
        const { message, reason } = yield* Effect.flip(things)
        assert.strictEqual(reason, "OtherPage")
        assert.match(message, /GET \/things answered without `data`, as its list in the review file says/)
        assert.strictEqual(service.came.filter(({ what }) => what.includes("/things")).length, 2)
        assert.deepStrictEqual(yield* reasons, [])
      })
  )
)

it.live("a request for one record ends after some failures of any kind, and opens no reason of the service's", () =>
  calling(
    withTokens((response) => response.writeHead(500).end()),
    () =>
      Effect.gen(function* () {
        const { message, reason } = yield* Effect.flip(called({ failures: 2 }))
        assert.strictEqual(reason, "Unanswered")
        assert.match(message, /500/)
        assert.deepStrictEqual(yield* reasons, [])
      })
  )
)
