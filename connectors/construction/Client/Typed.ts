/**
 * Requests typed by the service's OpenAPI document, as `openapi-typescript` writes it: `Paths` is its `paths`. These
 * are only types; actual answers aren't checked unless there is a schema.
 */
import type { CallOptions } from "./Options.ts"
import type { Method, RequestOptions, StandardSchema } from "./Request.ts"

export interface TypedClient<Paths> {
  readonly request: <M extends Method, P extends PathWith<Paths, M>>(
    method: M,
    path: P,
    ...options: OptionsOf<Operation<Paths, P, M>>
  ) => Promise<AnswerOf<Operation<Paths, P, M>>>
}

/** The operation for a path and a method; never if there is none. */
export type Operation<Paths, P extends keyof Paths, M extends Method> = Exclude<At<Paths[P], Lowercase<M>>, undefined>

/** The paths that have the method. */
export type PathWith<Paths, M extends Method> = {
  [P in keyof Paths & string]: [Operation<Paths, P, M>] extends [never] ? never : P
}[keyof Paths & string]

/** The last parameter: may be omitted if nothing in it is required. */
export type OptionsOf<O> =
  Partial<Record<never, never>> extends Given<O> ? [options?: Given<O> & Common<O>] : [options: Given<O> & Common<O>]

/** The JSON of a 2xx answer; undefined if there is none. */
export type AnswerOf<O> = {
  [S in keyof At<O, "responses">]: S extends Good ? JsonOf<At<O, "responses">[S]> : never
}[keyof At<O, "responses">]

type Good = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226 | "2XX"

type At<T, K extends PropertyKey> = K extends keyof T ? T[K] : undefined

type Common<O> = CallOptions &
  Pick<RequestOptions, "retry"> & { readonly schema?: StandardSchema<AnswerOf<O>> | undefined }

type Given<O> = Part<"params", At<At<O, "parameters">, "path">> &
  Part<"query", At<At<O, "parameters">, "query">> &
  Part<"body", BodyOf<At<O, "requestBody">>>

/** Required, optional or forbidden, as `V` is. */
type Part<K extends string, V> = [Exclude<V, undefined>] extends [never]
  ? { readonly [k in K]?: undefined }
  : undefined extends V
    ? { readonly [k in K]?: V }
    : { readonly [k in K]: V }

type BodyOf<B> = B extends { readonly content: infer C } ? JsonIn<C> : undefined

type JsonOf<A> = A extends { readonly content: infer C } ? JsonIn<C> : undefined

type JsonIn<C> = [C] extends [undefined]
  ? undefined
  : { [K in keyof C]: K extends `application/json${string}` | `${string}+json${string}` ? C[K] : never }[keyof C]
