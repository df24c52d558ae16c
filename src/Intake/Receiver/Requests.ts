/**
 * Handles one request, from its headers to its answer.
 *
 * The checks run from cheap to expensive: path, method, well-formed signature, declared size; then the body is read,
 * within its own limit and the room for all of them; then its signature is checked. A signature covers
 * the bytes as received; if it doesn't fit them and they claim an encoding, a proxy may have compressed the body on the
 * way, so it must fit what they unpack to. Exactly the signed bytes are stored. A 2xx is sent only after `offer` has
 * returned.
 */
import { hash } from "node:crypto"
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http"
import type { Inbox } from "../Inbox.ts"
import { unpack } from "../../Domain/Body.ts"
import type { Instant } from "../../Domain/Instant.ts"
import { type BodyReader, readBody, type Refusable } from "./Arriving.ts"
import type { Visit } from "./Connections.ts"
import type { DeliveryHeaders } from "./Signatures.ts"
import type { Secret } from "../Secrets/Keyring.ts"

export interface Answerer extends BodyReader {
  readonly path: string
  readonly now: () => Instant
  readonly offer: Inbox["Service"]["offer"]
  readonly accepted: (headers: DeliveryHeaders, secret: Secret, signature: Uint8Array) => void
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

export const handle = async (
  answer: Answerer,
  request: IncomingMessage,
  response: ServerResponse,
  visit: Visit
): Promise<void> => {
  const { signatures } = answer
  const path = pathOf(request.url ?? "")
  if (path !== answer.path && !signatures.isFormerPath(path)) return refuse(response, 404)
  if (request.method !== "POST") return refuse(response, 405)
  const signature = signatures.read(request.headers)
  if (signature === undefined) return refuse(response, 401)
  const headers = signatures.said(request.headers)
  const delivery = { headers, signature, visit }
  const arrived = await readBody(answer, request, delivery)
  if (arrived === "aborted") return
  if (typeof arrived === "number") return refuse(response, arrived)
  try {
    const signed = await signedOf(answer, request, arrived.body, signature)
    if (typeof signed === "object") {
      visit.proved()
      return await store(answer, { ...signed, ...delivery, all: withoutCredentials(request.rawHeaders) }, response)
    }
    if (signed === 401) answer.rejected()
    else answer.refused(signed === 413 ? "too-large" : "encoded", delivery, false)
    reply(response, visit, signed)
  } finally {
    arrived.release()
  }
}

/** A target may also be a whole address, as for a proxy (RFC 9112 §3.2.2). */
const pathOf = (target: string): string =>
  (target.startsWith("/") ? target.split("?", 1)[0] : URL.parse(target)?.pathname) ?? ""

interface Signed {
  readonly body: Uint8Array
  readonly secret: Secret
}

/**
 * Once more after the secret of a new subscription is known, whose first delivery may arrive before it. What the body
 * unpacked to isn't kept until then: it isn't counted.
 */
const signedOf = async (
  answer: Answerer,
  request: IncomingMessage,
  body: Buffer,
  signature: Uint8Array
): Promise<Signed | Refusal> => {
  const signed = signedNow(answer, request, body, signature)
  if (typeof signed === "object") return signed
  await answer.signatures.settled()
  return signedNow(answer, request, body, signature)
}

type Refusal = 401 | 413 | 415

/** Of a body that can't be unpacked, we don't know whether it was signed. */
const signedNow = (
  answer: Answerer,
  request: IncomingMessage,
  body: Buffer,
  signature: Uint8Array
): Signed | Refusal => {
  const { signatures } = answer
  const secret = signatures.signer(body, signature)
  if (secret) return { body, secret }
  if (!isEncoded(request)) return 401
  const plain = unpack(body, mostUnpacked(answer, body))
  if (plain === "too-large") return 413
  if (plain === body) return 415
  const signer = signatures.signer(plain, signature)
  return signer ? { body: plain, secret: signer } : 401
}

const isEncoded = ({ headers }: IncomingMessage): boolean =>
  (headers["content-encoding"] ?? "identity").toLowerCase() !== "identity"

/** How much work an unknown sender may cause with each byte. JSON seldom shrinks to less than a twentieth. */
const mostUnpacked = ({ maximumBytes }: Answerer, { byteLength }: Uint8Array): number =>
  Math.min(maximumBytes, 64 * (1024 + byteLength))

interface Verified extends Signed, Refusable {
  readonly all: ReadonlyArray<string>
  readonly visit: Visit
}

const credentials = new Set(["authorization", "cookie", "proxy-authorization"])

/** Names and values, as received. */
const withoutCredentials = (raw: ReadonlyArray<string>): ReadonlyArray<string> =>
  raw.filter((_, place) => !credentials.has(raw[place - (place % 2)]!.toLowerCase()))

const store = async (
  answer: Answerer,
  { all, body, headers, secret, signature, visit }: Verified,
  response: ServerResponse
): Promise<void> => {
  const bodySha256 = hash("sha256", body, "buffer")
  try {
    await answer.offer({
      body,
      bodySha256,
      eventId: headers.eventId ?? madeUpId(bodySha256),
      headerType: headers.type,
      issuedAt: headers.issuedAt,
      receivedAt: answer.now(),
      headers: all,
      secret: secret.fingerprint
    })
  } catch (cause) {
    answer.notStored(cause)
    return reply(response, visit, 503, { ...noBody, ...again })
  }
  reply(response, visit, 200)
  answer.accepted(headers, secret, signature)
}

/** Derived from the body, so that the same body always gets the same id. */
const madeUpId = (bodySha256: Buffer): string => {
  const hex = bodySha256.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")
}
