/**
 * Handles one request, from its headers to its answer, in the receiver's thread.
 *
 * The checks run from cheap to expensive: path, method, well-formed signature, declared size. Then the body is read,
 * within its own limit and the room for all bodies, and its signature is checked. A signature covers the bytes as
 * received. If it doesn't match them and they claim an encoding, a proxy may have compressed the body on the way, so
 * the signature must match the unpacked bytes. Exactly the signed bytes are stored. A 2xx is sent only after the group
 * is stored. Uses callbacks, because each promise adds a twentieth to the cost of a request.
 */
import { hash } from "node:crypto"
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import { unpack } from "../../Domain/Body.ts"
import type { Instant } from "../../Domain/Instant.ts"
import type { Delivery, Labelled } from "../../Stores/Deliveries.ts"
import { type Arrived, type BodyReader, readBody, type Refusable } from "./Arriving.ts"
import type { Visit } from "./Connections.ts"
import type { Groups } from "./Groups.ts"
import type { Knowing } from "./Knowing.ts"
import type { KnownSecret, Received } from "./Messages.ts"
import type { DeliveryHeaders, Signing } from "./Signing.ts"
import type { Without } from "./Without.ts"

export interface Answerer extends BodyReader {
  readonly path: string
  readonly signing: Signing
  readonly knowing: Knowing
  readonly without: Without
  readonly groups: Groups<Labelled>
  readonly now: () => Instant
  /** Calls back once new secrets may be known. */
  readonly settled: (then: () => void) => void
  /** When a request began, for a trace. */
  readonly begin: () => number
  /** Undefined where no traces are made. */
  readonly received: ((received: Omit<Received, "endMs">) => void) | undefined
  readonly accepted: (headers: DeliveryHeaders, secret: KnownSecret, signature: Uint8Array) => void
  readonly rejected: () => void
  readonly notStored: (cause: unknown) => void
}

/** Answers without reading the rest of the body; the connection can't be reused. */
export const refuse = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { ...(status === 503 ? again : {}), connection: "close" }).end()
}

const again = { "retry-after": "5" }
const noBody = { "content-length": "0" }

const reply = (response: ServerResponse, visit: Visit, status: number, headers: OutgoingHttpHeaders = noBody): void => {
  if (visit.isLast()) response.shouldKeepAlive = false
  response.writeHead(status, headers).end()
}

/** A request that hits a broken invariant is answered, and the other requests continue. */
const guarded = (answer: Answerer, response: ServerResponse, act: () => void): void => {
  try {
    act()
  } catch (cause) {
    answer.notStored(cause)
    if (response.headersSent) response.destroy()
    else refuse(response, 500)
  }
}

interface Come extends Refusable {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly visit: Visit
  readonly startMs: number
}

export const handle = (answer: Answerer, request: IncomingMessage, response: ServerResponse, visit: Visit): void =>
  guarded(answer, response, () => {
    const { knowing, signing } = answer
    const path = pathOf(request.url ?? "")
    if (path !== answer.path && !knowing.isFormerPath(path)) return refuse(response, 404)
    if (request.method !== "POST") return refuse(response, 405)
    const signature = signing.read(request.headers)
    if (signature === undefined) return refuse(response, 401)
    const startMs = answer.begin()
    const come: Come = { request, response, visit, startMs, signature, headers: signing.said(request.headers) }
    readBody(answer, request, come, (arrived) => {
      if (arrived === "aborted") return
      if (typeof arrived === "number") return refuse(response, arrived)
      guarded(answer, response, () => judge(answer, come, arrived))
    })
  })

/** A request target may also be an absolute address, as for a proxy (RFC 9112 §3.2.2). */
const pathOf = (target: string): string =>
  (target.startsWith("/") ? target.split("?", 1)[0] : URL.parse(target)?.pathname) ?? ""

interface Signed {
  readonly body: Uint8Array
  readonly secret: KnownSecret
}

/**
 * Called again once the secret of a new subscription is known: its first delivery may arrive before the secret. The
 * unpacked body isn't kept until then, because it isn't counted.
 */
const judge = (answer: Answerer, come: Come, arrived: Arrived): void => {
  const signed = signedNow(answer, come, arrived.body)
  if (typeof signed === "object") return store(answer, come, signed, arrived)
  answer.settled(() =>
    guarded(answer, come.response, () => {
      const settled = signedNow(answer, come, arrived.body)
      if (typeof settled === "object") return store(answer, come, settled, arrived)
      if (settled === 401) answer.rejected()
      else answer.refused(settled === 413 ? "too-large" : "encoded", come, false)
      reply(come.response, come.visit, settled)
      arrived.release()
    })
  )
}

type Refusal = 401 | 413 | 415

/** If a body can't be unpacked, we don't know whether it was signed. */
const signedNow = (answer: Answerer, { request, signature }: Come, body: Buffer): Signed | Refusal => {
  const { secrets } = answer.knowing
  const secret = answer.signing.signer(secrets, body, signature)
  if (secret) return { body, secret }
  if (!isEncoded(request)) return 401
  const plain = unpack(body, mostUnpacked(answer, body))
  if (plain === "too-large") return 413
  if (plain === body) return 415
  const signer = answer.signing.signer(secrets, plain, signature)
  return signer ? { body: plain, secret: signer } : 401
}

const isEncoded = ({ headers }: IncomingMessage): boolean =>
  (headers["content-encoding"] ?? "identity").toLowerCase() !== "identity"

/** How much work an unknown sender may cause per byte. JSON rarely compresses to less than a twentieth. */
const mostUnpacked = ({ maximumBytes }: Answerer, { byteLength }: Uint8Array): number =>
  Math.min(maximumBytes, 64 * (1024 + byteLength))

const credentials = new Set(["authorization", "cookie", "proxy-authorization"])

/** Names and values, as received. */
const withoutCredentials = (raw: ReadonlyArray<string>): ReadonlyArray<string> =>
  raw.filter((_, place) => !credentials.has(raw[place - (place % 2)]!.toLowerCase()))

const store = (
  answer: Answerer,
  { headers, request, response, signature, startMs, visit }: Come,
  { body, secret }: Signed,
  { release }: Arrived
): void => {
  visit.proved()
  const bodySha256 = hash("sha256", body, "buffer")
  const eventId = headers.eventId ?? madeUpId(bodySha256)
  const left = answer.without(body, withoutCredentials(request.rawHeaders))
  const labels = JSON.stringify({
    eventId,
    headerType: headers.type,
    issuedAt: headers.issuedAt,
    receivedAt: answer.now(),
    headers: left.headers,
    secret: secret.fingerprint,
    ...(left.body === body ? {} : { erased: bodySha256.toString("hex") })
  } satisfies Omit<Delivery, "body" | "bodySha256">)
  answer.groups.offer({
    delivery: { body: left.body, bodySha256, eventId, labels },
    body: left.body,
    stored: () => {
      reply(response, visit, 200)
      release()
      answer.accepted(headers, secret, signature)
      answer.received?.({ eventId, startMs, bytes: body.byteLength, traceparent: traceparentOf(request) })
    },
    failed: (cause) => {
      answer.notStored(cause)
      reply(response, visit, 503, { ...noBody, ...again })
      release()
    }
  })
}

const traceparentOf = ({ headers: { traceparent } }: IncomingMessage): string | undefined =>
  typeof traceparent === "string" ? traceparent : undefined

/** Derived from the body, so that the same body always gets the same id. */
const madeUpId = (bodySha256: Buffer): string => {
  const hex = bodySha256.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")
}
