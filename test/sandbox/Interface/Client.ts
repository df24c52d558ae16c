/** A client that knows the interface document and nothing else: plain requests, answers as they come. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Received, text } from "../CallbackReceiver.ts"
import { credentialsRequest, type Started } from "../OAuth/Login.ts"

type Fields = Readonly<Record<string, unknown>>

export const token = ({ tokens }: Started) => Effect.map(tokens(credentialsRequest), ({ access_token }) => access_token)

export interface List {
  readonly data: ReadonlyArray<Fields>
  readonly pagination: Fields
}

export const listed = (service: Started, path: string) =>
  Effect.gen(function* () {
    const answer = yield* service.get(path, yield* token(service))
    assert.strictEqual(answer.status, 200)
    assert.include(answer.headers["content-type"], "application/json")
    return (yield* answer.json) as unknown as List
  })

interface Made {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly secret: string
}

const create = (service: Started, body: object) =>
  Effect.gen(function* () {
    const headers = { authorization: `Bearer ${yield* token(service)}`, "content-type": "application/json" }
    return yield* Effect.promise(() =>
      fetch(`${service.sandbox.baseUrl}/webhooks`, { method: "POST", headers, body: JSON.stringify(body) })
    )
  })

export const subscribe = (service: Started, url: string, events: ReadonlyArray<string>) =>
  Effect.flatMap(create(service, { url, events }), (answer) => Effect.promise(() => answer.json() as Promise<Made>))

/** The status of a refused creation. */
export const refusing = (service: Started, body: object) => Effect.map(create(service, body), ({ status }) => status)

interface Envelope {
  readonly event_type: string
  readonly event_timestamp: string
  readonly data: Fields
}

export const envelope = (delivery: Received) => JSON.parse(text(delivery)) as Envelope
