/**
 * Serves the catalogue's operations below a version's path.
 */
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { Catalogue } from "../Catalogue.ts"
import type { Version } from "../Versions.ts"
import { type Operation, routePath } from "./Operation.ts"

const answered = ({ answer }: Operation) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const params = yield* HttpRouter.params
    const query = URL.parse(request.url, "http://localhost")?.searchParams ?? new URLSearchParams()
    return yield* answer({ request, params, query, nowMillis: yield* Clock.currentTimeMillis })
  })

export const layerWith = ({ path }: Version, { operations }: Pick<Catalogue, "operations">) =>
  HttpRouter.addAll(
    operations.map((operation) =>
      HttpRouter.route(operation.method, `${path}${routePath(operation.path)}`, answered(operation))
    )
  )
