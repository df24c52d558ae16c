/**
 * Reads the body of a request into memory, within the body's own limit and the room for all bodies (`Bodies`).
 */
import type { IncomingMessage } from "node:http"
import type { Bodies, Body } from "./Bodies.ts"
import type { Visit } from "./Connections.ts"
import type { RefusedFor } from "./Messages.ts"
import type { Checking, DeliveryHeaders, Held } from "./Signing.ts"

/** What a request says about itself. */
export interface Refusable {
  readonly signature: Uint8Array
  readonly headers: DeliveryHeaders
}

export interface BodyReader {
  readonly maximumBytes: number
  readonly bodies: Bodies
  /** Checks with the valid secrets. */
  readonly checking: (signature: Uint8Array) => Checking<Held>
  readonly refused: (why: RefusedFor, delivery: Refusable, isSigned: boolean) => void
  /** Whether the same delivery was refused before. */
  readonly wasRefused: (signature: Uint8Array) => boolean
}

/** A body that has arrived completely. Its bytes count until `release`. */
export interface Arrived {
  readonly body: Buffer
  readonly release: () => void
}

/**
 * Otherwise calls `done` with the status of the refusal, or with the fact that there is no one to answer. `done` is
 * called once.
 */
export const readBody = (
  answer: BodyReader,
  request: IncomingMessage,
  delivery: Refusable & { readonly visit: Visit },
  done: (result: Arrived | 408 | 413 | 503 | "aborted") => void
): void => {
  const { bodies, maximumBytes } = answer
  const chunks: Array<Buffer> = []
  const giveUp = (result: 408 | 413 | 503 | "aborted"): void => {
    bodies.close(body)
    chunks.length = 0
    request.off("data", onChunk).removeAllListeners("end").off("close", broken).off("error", broken)
    // The request may still break.
    request.on("error", () => undefined)
    done(result)
  }
  const body: Body = bodies.open({
    standing: delivery.visit.standing,
    pause: () => request.pause(),
    resume: () => request.resume(),
    drop: (status) => {
      request.pause()
      giveUp(status)
    }
  })
  const tooLarge = (): void => {
    giveUp(413)
    answer.refused("too-large", delivery, false)
  }
  const isDeclaredTooLarge = Number(request.headers["content-length"] ?? 0) > maximumBytes
  const onChunk = (chunk: Buffer): void => {
    chunks.push(chunk)
    if (!isDeclaredTooLarge && body.bytes + chunk.byteLength <= maximumBytes) {
      return bodies.received(body, chunk.byteLength)
    }
    if (answer.wasRefused(delivery.signature)) {
      const before = chunks.splice(0)
      bodies.close(body)
      request.off("data", onChunk).removeAllListeners("end")
      return checkToItsEnd(answer, request, before, delivery, () => giveUp(413))
    }
    request.pause()
    tooLarge()
  }
  // After a body has ended, its answer gives back its room.
  const broken = (): void => {
    if (body.state !== "whole") giveUp("aborted")
  }
  if (isDeclaredTooLarge && !answer.wasRefused(delivery.signature)) return tooLarge()
  request.on("data", onChunk)
  request.on("end", () => {
    bodies.whole(body)
    const [only] = chunks
    // The parts are released at once; otherwise they would hold the same bytes twice until the answer.
    const whole = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
    chunks.length = 0
    done({ body: whole, release: () => bodies.close(body) })
  })
  request.on("close", broken)
  request.on("error", broken)
}

/**
 * The service retries a refused delivery. So the second attempt is read to its end, part by part, to learn whether it
 * is signed. If it is, it is a delivery that will be lost.
 */
const checkToItsEnd = (
  answer: BodyReader,
  request: IncomingMessage,
  chunks: ReadonlyArray<Buffer>,
  delivery: Refusable,
  done: () => void
): void => {
  const check = answer.checking(delivery.signature)
  for (const chunk of chunks) check.add(chunk)
  request.on("data", check.add)
  // In the event itself, because the request closes before a promise would continue.
  request.once("end", () => {
    done()
    answer.refused("too-large", delivery, check.signer() !== undefined)
  })
}
