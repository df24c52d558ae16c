/**
 * Handles one request, from its headers to its answer.
 *
 * The checks run from cheap to expensive: path, method, well-formed signature, declared size; then the body is read,
 * within its own limit and the budget shared by all bodies in flight; then its signature is checked. A signature covers
 * the bytes as received; if it doesn't fit them and they claim an encoding, a proxy may have compressed the body on the
 * way, so it must fit what they unpack to. Exactly the signed bytes are stored. A 2xx is sent only after `offer` has
 * returned.
 */
import { hash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Inbox } from "../Inbox.ts"
import { unpack } from "../../Domain/Body.ts"
import type { Instant } from "../../Domain/Instant.ts"
import type { DeliveryHeaders, Signatures } from "./Signatures.ts"
import type { RefusedFor } from "./Refusals.ts"
import type { Secret } from "../Secrets/Keyring.ts"

export interface Answerer {
  readonly path: string
  readonly maximumBytes: number
  readonly inFlightBytes: number
  readonly signatures: Signatures["Service"]
  /** Bytes of all bodies that were read and not yet answered. */
  readonly state: { inFlight: number }
  readonly now: () => Instant
  readonly offer: Inbox["Service"]["offer"]
  readonly accepted: (headers: DeliveryHeaders, secret: Secret, signature: Uint8Array) => void
  readonly rejected: () => void
  readonly refused: (why: RefusedFor, delivery: Refusable, isSigned: boolean) => void
  /** Also whether the same delivery was refused before. */
  readonly wasRefused: (signature: Uint8Array) => boolean
  readonly notStored: (cause: unknown) => void
}

/** What a refused request says about itself. */
export interface Refusable {
  readonly signature: Uint8Array
  readonly headers: DeliveryHeaders
}

/** Answers without reading the rest of the body; the connection can't be reused. */
export const refuse = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { connection: "close" }).end()
}

export const handle = async (answer: Answerer, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { signatures } = answer
  const path = pathOf(request.url ?? "")
  if (path !== answer.path && !signatures.isFormerPath(path)) return refuse(response, 404)
  if (request.method !== "POST") return refuse(response, 405)
  const signature = signatures.read(request.headers)
  if (signature === undefined) return refuse(response, 401)
  const headers = signatures.said(request.headers)
  const body = await readBody(answer, request, { signature, headers })
  if (body === "aborted") return
  if (body === "too-large") return refuse(response, 413)
  const bodies: [Uint8Array, ...Array<Uint8Array>] = [body]
  try {
    const signed =
      signedOf(signatures, bodies, signature) ?? (await signedOtherwise(answer, request, bodies, signature))
    if (typeof signed === "object") {
      return await store(
        answer,
        { ...signed, signature, headers, all: withoutCredentials(request.rawHeaders) },
        response
      )
    }
    if (signed === 401) answer.rejected()
    else answer.refused(signed === 413 ? "too-large" : "encoded", { signature, headers }, false)
    response.writeHead(signed, noBody).end()
  } finally {
    for (const { byteLength } of bodies) answer.state.inFlight -= byteLength
  }
}

/** A target may also be a whole address, as for a proxy (RFC 9112 §3.2.2). */
const pathOf = (target: string): string =>
  (target.startsWith("/") ? target.split("?", 1)[0] : URL.parse(target)?.pathname) ?? ""

interface Signed {
  readonly body: Uint8Array
  readonly secret: Secret
}

const signedOf = (
  signatures: Signatures["Service"],
  bodies: ReadonlyArray<Uint8Array>,
  signature: Uint8Array
): Signed | undefined => {
  for (const body of bodies) {
    const secret = signatures.signer(body, signature)
    if (secret) return { body, secret }
  }
  return undefined
}

/**
 * Adds what the body unpacks to, and waits for the secret of a new subscription, whose first delivery may arrive before
 * it. Otherwise the status of the refusal: of a body that can't be unpacked, we don't know whether it was signed.
 */
const signedOtherwise = async (
  answer: Answerer,
  request: IncomingMessage,
  bodies: [Uint8Array, ...Array<Uint8Array>],
  signature: Uint8Array
): Promise<Signed | 401 | 413 | 415> => {
  const { signatures, state } = answer
  let refusal: 401 | 413 | 415 = 401
  if (isEncoded(request)) {
    const [body] = bodies
    const plain = unpack(body, mostUnpacked(answer, body))
    if (plain === "too-large") refusal = 413
    else if (plain === body) refusal = 415
    else {
      bodies.push(plain)
      state.inFlight += plain.byteLength
    }
  }
  const unpacked = signedOf(signatures, bodies.slice(1), signature)
  if (unpacked) return unpacked
  await signatures.settled()
  return signedOf(signatures, bodies, signature) ?? refusal
}

const isEncoded = ({ headers }: IncomingMessage): boolean =>
  (headers["content-encoding"] ?? "identity").toLowerCase() !== "identity"

/** How much work an unknown sender may cause with each byte. JSON seldom shrinks to less than a twentieth. */
const mostUnpacked = ({ maximumBytes }: Answerer, { byteLength }: Uint8Array): number =>
  Math.min(maximumBytes, 64 * (1024 + byteLength))

const noBody = { "content-length": "0" }

interface Verified extends Signed, Refusable {
  readonly all: ReadonlyArray<string>
}

const credentials = new Set(["authorization", "cookie", "proxy-authorization"])

/** Names and values, as received. */
const withoutCredentials = (raw: ReadonlyArray<string>): ReadonlyArray<string> =>
  raw.filter((_, place) => !credentials.has(raw[place - (place % 2)]!.toLowerCase()))

const store = async (
  answer: Answerer,
  { all, body, headers, secret, signature }: Verified,
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
    response.writeHead(503, { ...noBody, "retry-after": "5" }).end()
    return
  }
  response.writeHead(200, noBody).end()
  answer.accepted(headers, secret, signature)
}

/** Derived from the body, so that the same body always gets the same id. */
const madeUpId = (bodySha256: Buffer): string => {
  const hex = bodySha256.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")
}

/** A returned body counts as in flight until its request is answered. */
const readBody = (
  answer: Answerer,
  request: IncomingMessage,
  delivery: Refusable
): Promise<Buffer | "too-large" | "aborted"> =>
  new Promise((resolve) => {
    const { state, maximumBytes, inFlightBytes } = answer
    const chunks: Array<Buffer> = []
    let bytes = 0
    const giveUp = (result: "too-large" | "aborted"): void => {
      state.inFlight -= bytes
      bytes = 0
      resolve(result)
    }
    const tooLarge = (): void => {
      giveUp("too-large")
      answer.refused("too-large", delivery, false)
    }
    const isDeclaredTooLarge = Number(request.headers["content-length"] ?? 0) > maximumBytes
    if (isDeclaredTooLarge && !answer.wasRefused(delivery.signature)) return tooLarge()
    const onChunk = (chunk: Buffer): void => {
      bytes += chunk.byteLength
      state.inFlight += chunk.byteLength
      chunks.push(chunk)
      const isTooLarge = isDeclaredTooLarge || bytes > maximumBytes
      if (!isTooLarge && state.inFlight <= inFlightBytes) return
      request.off("data", onChunk).removeAllListeners("end")
      if (isTooLarge && answer.wasRefused(delivery.signature)) {
        state.inFlight -= bytes
        bytes = 0
        return checkToItsEnd(answer, request, chunks.splice(0), delivery, () => giveUp("too-large"))
      }
      request.pause()
      if (isTooLarge) tooLarge()
      else giveUp("too-large")
    }
    request.on("data", onChunk)
    request.once("end", () => {
      bytes = 0
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks))
    })
    request.once("close", () => giveUp("aborted"))
    request.once("error", () => giveUp("aborted"))
  })

/**
 * The service tries a refused delivery again, so the second attempt is read to its end, a part at a time, to learn whether
 * it is signed: then it is a delivery that will be lost.
 */
const checkToItsEnd = (
  answer: Answerer,
  request: IncomingMessage,
  chunks: ReadonlyArray<Buffer>,
  delivery: Refusable,
  done: () => void
): void => {
  const check = answer.signatures.checking(delivery.signature)
  for (const chunk of chunks) check.add(chunk)
  request.on("data", check.add)
  // At once, because the request closes before a promise would go on.
  request.once("end", () => {
    done()
    answer.refused("too-large", delivery, check.signer() !== undefined)
  })
}
