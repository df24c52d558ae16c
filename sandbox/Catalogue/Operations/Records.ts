/**
 * Operations on single records of a resource: read, create, change, remove, and its actions.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Seed from "../../Seed.ts"
import { body } from "../Body.ts"
import type { Answer, Asked, Content, ServedResource, Operation } from "../Operation.ts"
import { found, json } from "../Operation.ts"
import type { Fields } from "../Shelf.ts"
import { alone } from "../Shelf.ts"
import { textHash } from "../Spelling.ts"

/** Some services wrap a single record in `data`. */
const isWrapped = ({ resource, spelling }: ServedResource) => spelling.chance(`${resource.name} is wrapped`, 0.2)

const single = (served: ServedResource): Content => {
  const schema = served.type.single
  const wrapped = { type: "object", required: ["data"], properties: { data: schema } }
  return { mediaType: "application/json", schema: isWrapped(served) ? wrapped : schema }
}

const shown = (served: ServedResource, number: number, status = 200): Answer => {
  const record = served.show(number, false)
  return json(isWrapped(served) ? { data: record } : record, status)
}

/** The fields of a body that are stored: texts without a required format. All others keep their random values. */
const taken = ({ type }: ServedResource, given: Fields): Fields =>
  Object.fromEntries(
    type.own.flatMap(({ name, schema }) => {
      const value = given[name]
      const isPlain = schema["type"] === "string" && !("format" in schema || "enum" in schema || "pattern" in schema)
      return isPlain && !("maxLength" in schema) && typeof value === "string" ? [[name, value]] : []
    })
  )

type OnOne = Pick<Operation, "method" | "verb" | "summary" | "scope"> &
  Partial<Pick<Operation, "body" | "success">> & {
    readonly below?: string
    readonly act: (number: number, asked: Asked) => Effect.Effect<Answer>
  }

const onOne = (served: ServedResource, { act, below = "", ...operation }: OnOne): Operation => {
  const { item, resource } = served
  return {
    path: `${item.path}${below}`,
    tag: resource.tag,
    object: resource.one,
    query: [],
    body: undefined,
    success: { status: 200, content: single(served), hasLink: false },
    ...operation,
    answer: (asked) =>
      Effect.suspend(() => {
        const one = found(item.steps, asked.params)
        return "missing" in one ? Effect.succeed(one.missing) : act(one.number ?? alone, asked)
      })
  }
}

export const get = (served: ServedResource): Operation =>
  onOne(served, {
    method: "GET",
    verb: "get",
    summary: `Get one ${served.resource.noun}`,
    scope: served.scope("read"),
    act: (number) => Effect.sync(() => shown(served, number))
  })

export const create = (served: ServedResource): Operation => {
  const { list, resource, scope, shelf, type } = served
  return {
    method: "POST",
    path: list.path,
    tag: resource.tag,
    scope: scope("write"),
    verb: "create",
    object: resource.one,
    summary: `Create ${resource.aNoun}`,
    query: [],
    body: { mediaType: "application/json", schema: type.toCreate },
    success: { status: 201, content: single(served), hasLink: false },
    answer: ({ nowMillis, params, request }) => {
      const parent = found(list.steps, params)
      if ("missing" in parent) return Effect.succeed(parent.missing)
      return body(request, type.needed, (given) =>
        shown(served, shelf.insert(parent.number ?? alone, taken(served, given), nowMillis), 201)
      )
    }
  }
}

const changing = (served: ServedResource, method: "PATCH" | "PUT", verb: "update" | "replace"): Operation => {
  const { resource, scope, shelf, spelling, type } = served
  const isMerge = method === "PATCH" && spelling.chance(`${resource.name} is merged`, 0.3)
  const schema = method === "PUT" ? type.toCreate : type.toChange
  return onOne(served, {
    method,
    verb,
    summary: `${verb === "update" ? "Change" : "Replace"} ${resource.aNoun}`,
    scope: scope("write"),
    body: { mediaType: isMerge ? "application/merge-patch+json" : "application/json", schema },
    act: (number, { nowMillis, request }) =>
      body(request, method === "PUT" ? type.needed : [], (given) => {
        shelf.change(number, taken(served, given), nowMillis)
        return shown(served, number)
      })
  })
}

export const update = (served: ServedResource): Operation => changing(served, "PATCH", "update")
export const replace = (served: ServedResource): Operation => changing(served, "PUT", "replace")

const none = { status: 204, content: undefined, hasLink: false } as const
const nothing = HttpServerResponse.empty({ status: 204 })

export const remove = (served: ServedResource): Operation =>
  onOne(served, {
    method: "DELETE",
    verb: "delete",
    summary: `Delete ${served.resource.aNoun}`,
    scope: served.scope("write"),
    success: none,
    act: (number) =>
      Effect.sync(() => {
        served.shelf.remove(number)
        return nothing
      })
  })

/** `approve` leads to `approved`, if there is such a status. */
const statusAfter = ({ resource }: ServedResource, word: string): Fields => {
  const { kind } = resource.fields.find(({ name }) => name === "status") ?? {}
  const status = kind?._tag === "OneOf" ? kind.texts.find((text) => text.startsWith(word.slice(0, -1))) : undefined
  return status === undefined ? {} : { status }
}

const ofApprovers = new Set(["approve", "reject", "award", "void"])

/** `POST …/approve`: answers with the changed record, with a job that does it, or with no body. */
export const action = (served: ServedResource, word: string): Operation => {
  const { resource, scope, shaped, shelf, spelling } = served
  const how = spelling.chosen(`${resource.name} ${word}`, ["record", "record", "record", "job", "nothing"])
  const job = shaped("Job")
  return onOne(served, {
    method: "POST",
    below: `/${word}`,
    verb: word,
    summary: `${word[0]?.toUpperCase()}${word.slice(1)} ${resource.aNoun}`,
    scope: scope(ofApprovers.has(word) ? "approve" : "write"),
    ...(how === "nothing" ? { success: none } : {}),
    ...(how === "job"
      ? { success: { status: 202, content: { mediaType: "application/json", schema: job.schema }, hasLink: false } }
      : {}),
    act: (number, { nowMillis }) =>
      Effect.sync(() => {
        shelf.change(number, statusAfter(served, word), nowMillis)
        if (how === "nothing") return nothing
        if (how === "record") return shown(served, number)
        return json(job.value(Seed.dice(textHash(resource.name), Seed.Purpose.record, number), 1), 202)
      })
  })
}
