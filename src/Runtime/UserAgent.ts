/**
 * How a program identifies itself to a server (RFC 9110 §10.1.5): `NAME/VERSION (+HOMEPAGE)`.
 */
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

export const userAgentOf = (program: { readonly name: string; readonly version: string; readonly homepage: string }) =>
  `${program.name}/${program.version} (+${program.homepage})`

/** `choose` gets the request's own name, after all other changes to the request. */
export const identified = (
  client: HttpClient.HttpClient,
  choose: (own: string | undefined) => string
): HttpClient.HttpClient =>
  HttpClient.makeWith(
    (request) =>
      client.postprocess(
        Effect.map(request, (each) =>
          HttpClientRequest.setHeader(each, "user-agent", choose(each.headers["user-agent"]))
        )
      ),
    client.preprocess
  )
