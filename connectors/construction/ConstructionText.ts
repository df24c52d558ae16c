/**
 * The text of an answer, or in words why there is none.
 *
 * An answer is read up to the limit of its kind, counted after unpacking; beyond that its connection is closed. Only
 * one large answer is read at a time, so a process never holds more than one of them, however many requests are in
 * flight.
 */
import { createHash } from "node:crypto"
import { Cause, Duration, Effect, Schema, Semaphore, Stream } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import { whyUnreached } from "../../src/Runtime/NetworkFailure.ts"

/** For the whole answer, to its last byte. */
export const requestTimeout = Duration.seconds(30)

const mebibyte = 2 ** 20
/** How much of one kind of answer is read. */
export interface Bound {
  /** A name for people: "a list page". */
  readonly kind: string
  readonly bytes: number
  /** What to do about a larger one: "raise NAME". */
  readonly advice: string
}

/** Answers up to this size are read concurrently: a page of 1000 records with 8 KiB each. */
const smallBytes = 8 * mebibyte

/** Its message continues the name of an address. */
export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", { message: Schema.String }) {}

/** The contents of an answer, as they arrived. */
export class Body {
  readonly #parts: ReadonlyArray<Uint8Array>
  #text: string | undefined

  constructor(parts: ReadonlyArray<Uint8Array>) {
    this.#parts = parts
  }

  get text(): string {
    return (this.#text ??= [...this.windows()].join(""))
  }

  /** Hex. */
  get sha256(): string {
    const hash = createHash("sha256")
    for (const part of this.#parts) hash.update(part)
    return hash.digest("hex")
  }

  /** The text in short strings: a long string costs thirty times as much per character. */
  *windows(): Generator<string, undefined> {
    const decoder = new TextDecoder()
    for (const part of this.#parts) {
      for (let from = 0; from < part.byteLength; from += windowBytes) {
        yield decoder.decode(part.subarray(from, from + windowBytes), { stream: true })
      }
    }
    yield decoder.decode()
  }
}

const windowBytes = 64 * 1024

type Response = HttpClientResponse.HttpClientResponse
type Read<A> = Effect.Effect<A, HttpClientError.HttpClientError | TooLarge>

/** One at a time in this process. */
const large = Semaphore.makeUnsafe(1)

const read = Effect.fnUntraced(function* ({ headers, stream }: Response, bound: Bound) {
  const announced = Number(headers["content-length"] ?? 0)
  const parts: Array<Uint8Array> = []
  // An error that is kept until the next attempt retains everything that the functions on its stack can reach.
  yield* Effect.addFinalizer(() => Effect.sync(() => void parts.splice(0)))
  let [bytes, isLarge] = [0, false]
  yield* Stream.runForEachArray(
    stream,
    Effect.fnUntraced(function* (chunks) {
      for (const chunk of chunks) bytes += chunk.byteLength
      if (Math.max(bytes, announced) > bound.bytes) return yield* tooLarge(bound, announced)
      if (bytes > smallBytes && !isLarge) {
        yield* Effect.acquireRelease(large.take(1), () => large.release(1), { interruptible: true })
        isLarge = true
      }
      parts.push(...chunks)
    })
  )
  return new Body([...parts])
}, Effect.scoped)

/** For fetch, an answer without a body has no stream. */
const isEmpty = (error: HttpClientError.HttpClientError | TooLarge): boolean =>
  error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError"

const tooLarge = ({ advice, bytes, kind }: Bound, announced: number): TooLarge => {
  const size = announced > bytes ? `${sizeOf(announced)}, ` : ""
  const most = `the ${sizeOf(bytes)} that are read of ${kind}`
  return new TooLarge({ message: `answered with ${size}more than ${most}: ${advice}` })
}

const sizeOf = (bytes: number): string =>
  bytes < mebibyte ? `${bytes} bytes` : `${Math.round((bytes * 10) / mebibyte) / 10} MiB`

const bodies = new WeakMap<Response, Read<Body>>()

/** Several readers of an answer get the same body. The first one's limit applies. */
export const readBody = (response: Response, bound: Bound): Read<Body> =>
  Effect.suspend(() => {
    const whole = Effect.catchIf(read(response, bound), isEmpty, () => Effect.succeed(new Body([])))
    const body = bodies.get(response) ?? Effect.runSync(Effect.cached(whole))
    bodies.set(response, body)
    return body
  })

export const readText = (response: Response, bound: Bound): Read<string> =>
  Effect.map(readBody(response, bound), ({ text }) => text)

/** Continues the name of an address. Undefined if there was an answer, or no request. */
export const whyNoAnswer = (error: unknown, within = requestTimeout): string | undefined => {
  if (error instanceof TooLarge) return error.message
  if (Cause.isTimeoutError(error)) return `didn't answer in full within ${Duration.toSeconds(within)} seconds`
  if (!HttpClientError.isHttpClientError(error)) return undefined
  return `${error.reason._tag === "DecodeError" ? "broke off its answer" : "can't be reached"}: ${whyUnreached(error)}`
}
