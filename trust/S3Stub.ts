/**
 * A small S3 for tests and attacks, in this process: one bucket, path style, signatures checked, and faults at any
 * call.
 *
 * `onCall` is called three times for each request: "arriving" (its head has arrived), "before" (the body is read and
 * the signature is right, but nothing is done yet) and "after" (everything is done, but nothing is answered yet). If it
 * returns a fault, that happens instead of an answer.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Answer, type Asked, read, Refusal } from "./S3Stub/Asked.ts"
import * as Bucket from "./S3Stub/Bucket.ts"
import { verified } from "./S3Stub/Signature.ts"
import * as Xml from "./S3Stub/Xml.ts"

export type { Conditional } from "./S3Stub/Bucket.ts"

export interface Call {
  /** From 1. */
  readonly number: number
  /** The operation's name in the S3 reference: "PutObject". */
  readonly operation: string
  readonly key: string
  /** As Node reads them: names in lower case. */
  readonly headers: IncomingMessage["headers"]
  /** Resolves once the call is answered or its client has disconnected. */
  readonly closed: Promise<unknown>
}

export type When = "arriving" | "before" | "after"

/** "cut": the connection breaks. "hang": nothing is answered. "half", "stall": the same in the middle of the body. */
export type Fault =
  | "cut"
  | "hang"
  | "half"
  | "stall"
  | { readonly status: number; readonly code: string; readonly headers?: Readonly<Record<string, string>> }

export type OnCall = (call: Call, when: When) => Fault | undefined | Promise<Fault | undefined>

const keys = { accessKeyId: "test", secretAccessKey: "marked-secret-of-the-bucket", region: "us-east-1" }

export class S3Stub {
  readonly bucket: string
  readonly contents = Bucket.make()
  calls: Array<Call> = []
  onCall: OnCall = () => undefined
  /** How far the stub's clock is ahead of this machine's. */
  skewMillis = 0
  readonly #server = createServer({ requestTimeout: 0 }, (request, response) => void this.#serve(request, response))

  private constructor(bucket: string) {
    this.bucket = bucket
  }

  static async open(bucket = "lake"): Promise<S3Stub> {
    const stub = new S3Stub(bucket)
    await once(stub.#server.listen(0, "127.0.0.1"), "listening")
    return stub
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Variables of the AWS SDK for the process that uses the stub, which keep it from this machine's own files. */
  get environment(): Readonly<Record<string, string>> {
    return {
      AWS_ENDPOINT_URL_S3: this.url,
      AWS_REGION: keys.region,
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_CONFIG_FILE: "/dev/null",
      AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
      AWS_EC2_METADATA_DISABLED: "true"
    }
  }

  /** By key. */
  get objects(): Map<string, Bucket.Stored> {
    return this.contents.objects
  }

  /** Unfinished uploads, by id. */
  get uploads(): Map<string, Bucket.Upload> {
    return this.contents.uploads
  }

  set conditional(conditional: Bucket.Conditional) {
    this.contents.conditional = conditional
  }

  set pageSize(pageSize: number) {
    this.contents.pageSize = pageSize
  }

  /** Counts calls from 1 again, and causes no more faults. */
  reset(): void {
    this.calls = []
    this.onCall = () => undefined
  }

  async close(): Promise<void> {
    const closed = once(this.#server.close(), "close")
    this.#server.closeAllConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = read(request.method ?? "", request.url ?? "", request.headers)
    const { headers, key, operation } = asked
    const closed = new Promise((resolve) => response.once("close", resolve))
    const call: Call = { number: this.calls.length + 1, operation, key, headers, closed }
    this.calls.push(call)
    try {
      const arriving = await this.onCall(call, "arriving")
      if (arriving !== undefined) return this.#fail(response, asked, arriving)
      const body = Buffer.concat(await request.toArray())
      const answer = await this.#answer(asked, call, body)
      if (typeof answer === "string") return this.#fail(response, asked, answer)
      this.#write(response, asked, answer)
    } catch (cause) {
      // A connection that broke before the whole body arrived can't be answered.
      if (request.errored === null) this.#write(response, asked, refused(cause, asked))
    }
  }

  async #answer(asked: Asked, call: Call, body: Buffer): Promise<Answer | "cut" | "hang"> {
    const meant = verified(asked, body, keys, Date.now() + this.skewMillis)
    if (asked.bucket !== this.bucket) throw new Refusal(404, "NoSuchBucket")
    const before = await this.onCall(call, "before")
    if (before !== undefined) return asAnswer(before)
    const answer = Bucket.perform(this.contents, asked, meant)
    const after = await this.onCall(call, "after")
    if (after === "half" || after === "stall") return { ...answer, breaksOff: after }
    return after === undefined ? answer : asAnswer(after)
  }

  #fail(response: ServerResponse, asked: Asked, fault: Fault): void {
    if (fault === "hang") return
    if (typeof fault === "string") return void response.socket?.destroy()
    this.#write(response, asked, refused(new Refusal(fault.status, fault.code, fault.code, fault.headers), asked))
  }

  #write(response: ServerResponse, asked: Asked, { body = "", breaksOff, headers, status }: Answer): void {
    const length = headers?.["content-length"] ?? String(Buffer.byteLength(body))
    const date = new Date(Date.now() + this.skewMillis).toUTCString()
    response.writeHead(status, { "x-amz-request-id": "stub", date, ...headers, "content-length": length })
    if (breaksOff === undefined) return void response.end(asked.method === "HEAD" ? undefined : body)
    const half = Buffer.from(body).subarray(0, Buffer.byteLength(body) / 2)
    response.write(half, () => void (breaksOff === "half" && response.socket?.destroy()))
  }
}

const asAnswer = (fault: Fault): "cut" | "hang" => {
  if (fault === "cut" || fault === "hang") return fault
  if (fault === "half" || fault === "stall") return "cut"
  throw new Refusal(fault.status, fault.code, fault.code, fault.headers)
}

const refused = (cause: unknown, asked: Asked): Answer => {
  if (!(cause instanceof Refusal)) throw cause
  const content = `<Code>${cause.code}</Code><Message>${Xml.escaped(cause.message)}</Message><RequestId>stub</RequestId>`
  return {
    status: cause.status,
    headers: { "content-type": "application/xml", ...cause.headers },
    body: asked.method === "HEAD" ? "" : Xml.document("Error", content)
  }
}
