/**
 * The `webhooks` of the OpenAPI document: one for each event type, with its payload, the headers of a delivery and how
 * its signature is made (interface document §6). A receiver can be generated from it.
 */
import { eventTypes } from "../Lifecycles.ts"
import type { Version } from "../Versions.ts"
import * as Examples from "./Examples.ts"

export const tag = {
  name: "deliveries",
  description:
    "What the service sends to the URLs of webhook subscriptions (interface document §6), at least once, in no certain order."
}

const signing = [
  "`X-Service-Signature` is the HMAC-SHA256 over the raw bytes of the body, keyed with the subscription's secret, in hexadecimal. Compute it before the JSON is parsed and compare in constant time; answer 401 if it is missing or wrong.",
  "Answer 2xx within 10 seconds and do the work afterwards. Any other answer is retried after 1 and 5 minutes, 30 minutes, 2, 6 and 24 hours. The same event can come twice (remember `X-Service-Event-Id` for 7 days) and events can overtake each other (order them by `event_timestamp`)."
].join("\n\n")

const header = (name: string, schema: object, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema,
  example
})

const headers = (type: string, id: string) => [
  header(
    "X-Service-Signature",
    { type: "string", pattern: "^[0-9a-fA-F]{64}$" },
    "HMAC-SHA256 over the raw body, in hexadecimal.",
    "5f1b7c1ee4ad4f0c5b6a2f5e9a1d8c3b7e6f4a2d1c0b9e8f7a6d5c4b3a291807"
  ),
  header("X-Service-Event-Id", { type: "string", format: "uuid" }, "Of the event: the same in every attempt.", id),
  header("X-Service-Event-Type", { type: "string", const: type }, "The event's type.", type),
  header("X-Service-Timestamp", { type: "string", pattern: "^\\d+$" }, "Unix time of this attempt.", "1767600000")
]

const answers = {
  "2XX": { description: "Delivered." },
  "4XX": { description: "Not delivered: tried again later. 401 if the signature is missing or wrong." },
  default: { description: "Not delivered: tried again later." }
}

/** The event type in `PascalCase`. */
const schemaName = (type: string): string =>
  `${type.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

type Json = Readonly<Record<string, unknown>>

interface Payload {
  readonly type: string
  readonly id: string
  readonly description: string
  readonly data: Json
  readonly body: unknown
}

const object = (properties: Json): Json => ({ type: "object", required: Object.keys(properties), properties })

const payloadOf = (version: Version, properties: (schema: string) => Json): ReadonlyArray<Payload> =>
  eventTypes.map((type) => {
    const { body, entity, fields, id } = Examples.event(version, type)
    const names = fields.map((name) => version.renamed[entity]?.[name] ?? name)
    const known = properties(Examples.schemaNames[entity])
    const data = object(Object.fromEntries(names.map((name) => [name, known[name]])))
    return { type, id, description: `Sent when it has happened (interface document §6.3).`, data, body }
  })

/** Assumed: the document shows neither a payload of the ping nor the type of a test event. */
const others = ({ delivery }: Version): ReadonlyArray<Payload> => {
  const body = (type: string, data: Json) => ({
    [delivery.event_type]: type,
    [delivery.event_timestamp]: "2026-01-05T08:00:00.000000Z",
    [delivery.data]: data
  })
  return [
    {
      type: "webhook.ping",
      id: "2c6f3a0e-9a0d-4b7e-8f55-0d0c1b6a7e21",
      description: "Sent once to every new subscription (§6.1), even if it does not list this type.",
      data: object({ url: { type: "string", format: "uri" } }),
      body: body("webhook.ping", { url: "https://app.example.com/webhooks" })
    },
    {
      type: "webhook.test",
      id: "8b1e5d3c-61f2-4a59-9c1e-7d2f0a9b4c33",
      description: "Sent by hand from the administration (§6.1): nothing has happened.",
      data: object({ message: { type: "string" } }),
      body: body("webhook.test", { message: "A test" })
    }
  ]
}

/** `properties`: returns those of the JSON Schema of this name, in this version. */
export const make = (version: Version, properties: (schema: string) => Json) => {
  const { delivery } = version
  const payloads = [...payloadOf(version, properties), ...others(version)]
  const schemas = payloads.map(({ body, data, type }) => {
    const envelope = object({
      [delivery.event_type]: { type: "string", const: type },
      [delivery.event_timestamp]: { $ref: "#/components/schemas/Time" },
      [delivery.data]: data
    })
    return [schemaName(type), { ...envelope, examples: [body] }] as const
  })
  const webhooks = payloads.map(({ description, id, type }) => {
    const schema = { $ref: `#/components/schemas/${schemaName(type)}` }
    const post = {
      operationId: `deliveries.${type}`,
      tags: [tag.name],
      summary: `Receive ${type}`,
      description: `${description}\n\n${signing}`,
      parameters: headers(type, id),
      security: [],
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: answers
    }
    return [type, { post }] as const
  })
  return { schemas: Object.fromEntries(schemas), webhooks: Object.fromEntries(webhooks) }
}
