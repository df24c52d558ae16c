/**
 * A web handler for deliveries (interface document §6): takes a Request and returns a Response, as Hono, Next.js, Deno,
 * Bun and others expect.
 *
 * Guarantees: `onEvent` sees only bodies that the service signed, and the service gets a 2xx only after `onEvent` is
 * done. If the process dies before that, the service delivers again.
 */
import * as Json from "../../../src/Domain/Json.ts"
import { type Secrets, verifyDelivery } from "./Signature.ts"

export interface DeliveryHandlerOptions {
  /** Read for each delivery, so a list may grow while the handler is in use. */
  readonly secrets: Secrets
  /**
   * Stores the event. The service waits 10 seconds for the answer and delivers at least once, in any order (§6.1), so
   * keep this short, and ignore an event that is already stored. If it rejects, so does the handler; the 5xx that a
   * framework makes of that causes the service to deliver again (§8).
   */
  readonly onEvent: (event: DeliveredEvent) => unknown
  /** Larger bodies are answered 413. Defaults to 4 MiB. */
  readonly maximumBytes?: number | undefined
}

export interface DeliveredEvent {
  /** The signed bytes. */
  readonly body: Uint8Array
  /** The body as JSON; undefined if it isn't JSON. Numbers as in Project. */
  readonly data: unknown
  /**
   * UUID for deduplication (§6.2). Not signed, nor are the next two fields: a sender that replays a body can change
   * them.
   */
  readonly id: string | undefined
  /** Such as `ipc.paid`; `webhook.ping` is sent to every new subscription. */
  readonly type: string | undefined
  /** Unix timestamp of issuance, as sent. */
  readonly timestamp: string | undefined
}

const defaultMaximumBytes = 4 * 1024 * 1024

/**
 * Answers 204 when `onEvent` is done, 401 without a valid signature, 405 unless it is a POST, and 413 over the limit.
 */
export const deliveryHandler =
  ({ maximumBytes = defaultMaximumBytes, onEvent, secrets }: DeliveryHandlerOptions) =>
  async (request: Request): Promise<Response> => {
    const { headers, method } = request
    if (method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } })
    const body = await bytesUpTo(request, maximumBytes)
    if (body === undefined) return new Response(null, { status: 413 })
    if (!verifyDelivery(body, headers, secrets)) return new Response(null, { status: 401 })
    const named = (name: string) => headers.get(`x-service-${name}`) ?? undefined
    const [id, type, timestamp] = [named("event-id"), named("event-type"), named("timestamp")]
    await onEvent({ body, data: Json.parse(body.toString()), id, type, timestamp })
    return new Response(null, { status: 204 })
  }

/** Undefined if there are more bytes; the rest isn't read. */
const bytesUpTo = async ({ body, headers }: Request, most: number): Promise<Buffer | undefined> => {
  if (Number(headers.get("content-length")) > most) return undefined
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    // Leaving the loop cancels the body.
    if (length > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
