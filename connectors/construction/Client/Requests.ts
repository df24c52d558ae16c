/**
 * Sends any request of the API over the worker's own ConstructionClient, which paces, authorises and retries it.
 *
 * A request that isn't safe to repeat is sent again only if the service didn't carry it out (429, an expired token).
 * Any other failure of it is final, because it may have been carried out.
 */
import { BigDecimal, Duration, Effect, Option } from "effect"
import { type HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as Json from "../../../src/Domain/Json.ts"
import { type ConstructionClient, NotAsPromised } from "../ConstructionClient.ts"
import { type ApiEndpoint, boundOf } from "../ConstructionEndpoints.ts"
import { type Bound, requestTimeout, readText, whyNoAnswer } from "../ConstructionText.ts"
import { Final, type Limited } from "./Limits.ts"
import type { Method, RequestOptions, SchemaResult, StandardSchema } from "./Request.ts"
import { ServiceError } from "./ServiceError.ts"

type Answer = HttpClientResponse.HttpClientResponse
type Options = RequestOptions & { readonly schema?: StandardSchema<unknown> }

export const make =
  (client: ConstructionClient["Service"], endpoint: ApiEndpoint["Service"], limited: Limited) =>
  (method: Method, path: string, options: Options = {}): Effect.Effect<unknown, ServiceError> => {
    const name = `${method} ${path}`
    const isSafe = options.retry ?? safe.has(method)
    const sent = Effect.flatMap(requestOf(method, path, options), (request) =>
      client.call(
        "event",
        (_api, http) => {
          const answer: Effect.Effect<Answer, unknown> = isSafe
            ? http.execute(request)
            : once(http, request, name, boundOf(endpoint, method))
          return Effect.tap(answer, usable(name))
        },
        ({ text }): Effect.Effect<Body | undefined, NotAsPromised> => {
          const body = read(text)
          const again = body === undefined && isSafe
          return again ? Effect.fail(new NotAsPromised({ message: notJson(name) })) : Effect.succeed(body)
        }
      )
    )
    const checked = Effect.flatMap(sent, (body) => {
      if (body === undefined) return Effect.fail(new ServiceError("NotAsPromised", notJson(name)))
      return options.schema === undefined ? Effect.succeed(body.value) : check(name, body.value, options.schema)
    })
    return limited(checked)
  }

/** RFC 9110 §9.2.2: repeating one of these has no further effect. */
const safe: ReadonlySet<Method> = new Set(["GET", "HEAD", "PUT", "DELETE"])

const notJson = (name: string) => `${name} answered with something that isn't JSON or is truncated.`

const unusable = (message: string) => Effect.fail(new ServiceError("Options", message))

const requestOf = Effect.fnUntraced(function* (method: Method, path: string, options: Options) {
  if (!path.startsWith("/")) return yield* unusable(`The path ${path} must start with "/": it continues baseUrl.`)
  let filled = path
  for (const [placeholder, name = ""] of path.matchAll(/\{([^{}]*)\}/g)) {
    const value = String(options.params?.[name] ?? "")
    // In a path, these would lead to another address.
    if (["", ".", ".."].includes(value)) return yield* unusable(`params.${name} of ${path} is missing or not usable.`)
    filled = filled.replace(placeholder, () => encodeURIComponent(value))
  }
  const request = HttpClientRequest.make(method)(filled).pipe(HttpClientRequest.setUrlParams({ ...options.query }))
  if (options.body === undefined) return request
  return yield* HttpClientRequest.bodyJson(request, options.body).pipe(
    Effect.catch(() => unusable(`The body of ${method} ${path} can't be written as JSON.`))
  )
})

/** Failures after which ConstructionClient would send the request again are final too. */
const once = (http: HttpClient.HttpClient, request: HttpClientRequest.HttpClientRequest, name: string, bound: Bound) =>
  http.execute(request).pipe(
    // ConstructionClient reads the same text again, without another request.
    Effect.tap((response) => readText(response, bound)),
    Effect.timeout(answeredWithin),
    Effect.mapError((error) => uncertain(name, `The service ${whyNoAnswer(error, answeredWithin)}.`)),
    Effect.filterOrFail(
      ({ status }) => !isTransient(status),
      ({ status }) => uncertain(name, `It answered ${status}.`)
    )
  )

const uncertain = (name: string, what: string) =>
  new Final(new ServiceError("Unavailable", `${name} isn't repeated, because it may have been carried out. ${what}`))

/** Earlier than ConstructionClient, which resends a request that takes longer. */
const answeredWithin = Duration.subtract(requestTimeout, Duration.seconds(1))

const isTransient = (status: number) => status === 408 || status === 425 || status >= 500

/** Failures that are worded here for any address, but in ConstructionClient for that of a list. */
const usable =
  (name: string) =>
  ({ headers, status }: Answer): Effect.Effect<void, Final> => {
    if (status === 404) {
      return Effect.fail(
        new Final(new ServiceError("Refused", `The service has no such address or record (404): ${name}.`))
      )
    }
    const type = headers["content-type"] ?? "application/json"
    if (status < 200 || status >= 300 || status === 204 || /^application\/(.+\+)?json\b/i.test(type)) return Effect.void
    const what = `${name} answered ${type.slice(0, longestType)}, and only JSON is read; fetch it with \`token\``
    return Effect.fail(new Final(new ServiceError("NotAsPromised", `${what}.`)))
  }

const longestType = 100

interface Body {
  readonly value: unknown
}

/** Undefined if it isn't JSON. */
const read = (text: string): Body | undefined => {
  if (text.trim() === "") return { value: undefined }
  const value = Json.parse(text)
  return value === undefined ? undefined : { value: plain(value) }
}

/** Numbers that a double can hold become numbers; the others stay as they were written. */
const plain = (value: unknown): unknown => {
  const text = Json.numberText(value)
  if (text !== undefined) return isHeld(text) ? Number(text) : value
  if (Array.isArray(value)) return value.map(plain)
  return Json.isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, of]) => [name, plain(of)])) : value
}

const isHeld = (text: string): boolean =>
  String(Number(text)) === text ||
  Option.getOrElse(
    Option.zipWith(BigDecimal.fromString(text), BigDecimal.fromString(String(Number(text))), BigDecimal.equals),
    () => false
  )

const mostIssues = 3

const check = <A>(name: string, value: unknown, schema: StandardSchema<A>) =>
  Effect.flatMap(
    Effect.promise(() => Promise.resolve<SchemaResult<A>>(schema["~standard"].validate(value))),
    (result) => {
      if (result.issues === undefined) return Effect.succeed(result.value)
      const issues = result.issues.slice(0, mostIssues).map(({ message }) => message)
      const message = `${name} answered something that the schema doesn't accept: ${issues.join("; ")}`
      return Effect.fail(new ServiceError("NotAsPromised", message, { cause: result.issues }))
    }
  )
