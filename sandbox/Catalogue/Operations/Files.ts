/**
 * The files of a record: one is uploaded as a form, or downloaded as bytes.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Seed from "../../Seed.ts"
import { form } from "../Body.ts"
import type { ServedResource, Operation } from "../Operation.ts"
import { found, json } from "../Operation.ts"
import { textHash } from "../Spelling.ts"

const dice = ({ resource }: ServedResource, number: number | undefined) =>
  Seed.dice(textHash(resource.name), Seed.Purpose.record, number ?? 0)

export const upload = (served: ServedResource): Operation => {
  const { item, resource, scope, shaped } = served
  const attachment = shaped("Attachment")
  const file = { type: "string", contentMediaType: "application/octet-stream" }
  const properties = { file, description: { type: "string" } }
  return {
    method: "POST",
    path: `${item.path}/attachments`,
    tag: resource.tag,
    scope: scope("write"),
    verb: "upload",
    object: resource.one,
    summary: `Attach a file to ${resource.aNoun}`,
    query: [],
    body: { mediaType: "multipart/form-data", schema: { type: "object", required: ["file"], properties } },
    success: {
      status: 201,
      content: { mediaType: "application/json", schema: attachment.schema },
      hasLink: false
    },
    answer: ({ params, request }) => {
      const one = found(item.steps, params)
      if ("missing" in one) return Effect.succeed(one.missing)
      return form(request, (bytes) => json({ ...Object(attachment.value(dice(served, one.number), 1)), bytes }, 201))
    }
  }
}

export const download = (served: ServedResource): Operation => {
  const { item, resource, scope, spelling } = served
  const about = `file of ${resource.name}`
  const mediaType = spelling.chosen(about, ["application/pdf", "application/octet-stream", "image/jpeg"])
  return {
    method: "GET",
    path: `${item.path}/content`,
    tag: resource.tag,
    scope: scope("read"),
    verb: "download",
    object: resource.one,
    summary: `Download the file of ${resource.aNoun}`,
    query: [],
    body: undefined,
    success: { status: 200, content: { mediaType, schema: { type: "string", format: "binary" } }, hasLink: false },
    answer: ({ params }) =>
      Effect.sync(() => {
        const one = found(item.steps, params)
        if ("missing" in one) return one.missing
        const { next } = dice(served, one.number)
        return HttpServerResponse.uint8Array(Uint8Array.from({ length: 256 }, next), { contentType: mediaType })
      })
  }
}
