/**
 * Any request of the API (§4.4), paced and authorised like the client's own, and its options.
 */
import type { CallOptions } from "./Options.ts"

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"

export type Parameter = string | number | bigint | boolean

export interface RequestOptions extends CallOptions {
  /** Values for the `{names}` in the path. */
  readonly params?: Readonly<Record<string, Parameter>> | undefined
  /** A list is sent as a repeated parameter; undefined isn't sent. */
  readonly query?: Readonly<Record<string, Parameter | ReadonlyArray<Parameter> | undefined>> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /**
   * Whether the request is sent again after a failure that leaves open whether it was carried out (5xx, a timeout, a
   * reset). Defaults to yes for GET, HEAD, PUT and DELETE, and no for POST and PATCH (RFC 9110 §9.2.2). A 429, or a 401
   * for an expired token, means that it wasn't carried out, so every request is sent again after these.
   */
  readonly retry?: boolean | undefined
}

/** Any schema of [Standard Schema](https://standardschema.dev): Zod, Valibot, ArkType, Effect. */
export interface StandardSchema<out A> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<A> | Promise<SchemaResult<A>>
    readonly types?: { readonly input: unknown; readonly output: A } | undefined
  }
}

export type SchemaResult<A> =
  | { readonly value: A; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path?: ReadonlyArray<unknown> | undefined }> }

/**
 * `path` continues `baseUrl`, such as `/ipcs/{ipc_id}`. Resolves to the answer's JSON, or undefined if it has none.
 * With a schema, the answer is validated; without, it is unknown. A number that a double can't hold without rounding is
 * an object that JSON.stringify writes as it came, which no schema accepts as a number.
 */
export interface SendRequest {
  <A>(method: Method, path: string, options: RequestOptions & { readonly schema: StandardSchema<A> }): Promise<A>
  (method: Method, path: string, options?: RequestOptions): Promise<unknown>
}
