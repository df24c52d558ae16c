/**
 * One operation of the catalogue: how the document describes it and how the sandbox answers it, side by side. Also the
 * parts that all operations share: their paths, and looking up the records that a path names.
 */
import type { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import * as Json from "../../src/Domain/Json.ts"
import { refusal } from "../Refusal.ts"
import type { Envelope } from "./Envelope.ts"
import type { Schema, Typed } from "./Kinds.ts"
import type { Style } from "./Paging.ts"
import type { RecordType } from "./RecordType.ts"
import type { Parents, Shelf } from "./Shelf.ts"
import type { Spelling } from "./Spelling.ts"
import type { Resource } from "./Table.ts"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
export type Answer = HttpServerResponse.HttpServerResponse

export interface Content {
  readonly mediaType: string
  readonly schema: Schema
}

export interface Parameter {
  readonly name: string
  readonly schema: Schema
  readonly description: string
}

export interface Asked {
  readonly request: HttpServerRequest.HttpServerRequest
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  readonly nowMillis: number
}

export interface Operation {
  readonly method: Method
  /** Without the version: `/projects/{project_id}/rfis`. */
  readonly path: string
  readonly tag: string
  readonly scope: string
  /** The verb and its object, for the operation's id: `approve`, `change_order`. */
  readonly verb: string
  readonly object: string
  readonly summary: string
  readonly query: ReadonlyArray<Parameter>
  readonly body: Content | undefined
  readonly success: {
    readonly status: 200 | 201 | 202 | 204
    readonly content: Content | undefined
    readonly hasLink: boolean
  }
  readonly answer: (asked: Asked) => Effect.Effect<Answer>
}

/** A resource with everything that is decided and kept about it. */
export interface ServedResource {
  readonly resource: Resource
  readonly type: RecordType
  readonly style: Style
  readonly envelope: Envelope
  readonly shelf: Shelf
  readonly parents: Parents | undefined
  readonly spelling: Spelling
  /** Returns a shared shape. */
  readonly shaped: (name: string) => Typed
  /** The paths of a single record and of the list, both with their steps. */
  readonly item: Located
  readonly list: Located
  readonly scope: (right: "read" | "write" | "approve") => string
  /** A record as the list shows it, or alone, including its faults. */
  readonly show: (number: number, isListed: boolean) => unknown
}

/** A parameter of the path, and the resource whose id it is. */
export interface Step {
  readonly parameter: string
  readonly noun: string
  readonly of: Parents
}

export interface Located {
  readonly path: string
  readonly steps: ReadonlyArray<Step>
}

/** `/rfis/{id}` as the router writes it. */
export const routePath = (path: string): `/${string}` => `/${path.slice(1).replaceAll(/\{(\w+)\}/g, ":$1")}`

export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  HttpServerResponse.text(Json.stringify(value), { status, headers, contentType: "application/json" })

export type Found = { readonly number: number | undefined } | { readonly missing: Answer }

/** The record that the last step names, below the records that the earlier steps name; without steps: none. */
export const found = (steps: ReadonlyArray<Step>, params: Asked["params"]): Found => {
  let number: number | undefined
  for (const { noun, of, parameter } of steps) {
    const id = params[parameter] ?? ""
    number = of.find(number, id)
    if (number === undefined) return { missing: refusal(404, "not_found", `there is no ${noun} ${id}`) }
  }
  return { number }
}
