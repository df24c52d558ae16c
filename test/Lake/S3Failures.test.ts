/** What goes wrong with a bucket: what is retried, and what a person is told. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Lake, LakeError } from "../../src/Lake/Lake.ts"
import * as S3 from "../../src/Lake/S3.ts"
import { patient } from "../../src/Lake/S3/Client.ts"
import type { Fault, OnCall, When } from "../../trust/S3Stub.ts"
import { fresh, localFile, using } from "./Contract.ts"
import { stubbed, withVariables } from "./Stubbed.ts"

const stub = await stubbed()

const impatient = { ...patient, idleMillis: 1_000 }
const withLake = <A, E>(use: (lake: Lake["Service"]) => Effect.Effect<A, E>, bucket = "lake") =>
  using(S3.layerAt({ bucket, prefix: "" }, impatient), use)

/** The first calls of an operation. */
const first =
  (times: number, of: string, at: When, fault: Fault): OnCall =>
  ({ operation }, when) =>
    operation === of && when === at && (times -= 1) >= 0 ? fault : undefined

describe("a call is repeated", () => {
  const slowDown = { status: 503, code: "SlowDown" }
  const broken = { status: 500, code: "InternalError" }
  it.effect.each([
    ["that is told to slow down", "PutObject", "before", slowDown],
    ["that is answered with 500", "PutObject", "after", broken],
    ["whose connection breaks in the middle of the body", "UploadPart", "arriving", "cut"],
    ["whose connection breaks before its answer", "PutObject", "after", "cut"],
    ["that gets no answer in time", "PutObject", "before", "hang"],
    ["that completes a file in parts although that was done", "CompleteMultipartUpload", "after", "cut"]
  ] as const)("%s", ([, operation, when, fault]) =>
    withLake((lake) =>
      Effect.gen(function* () {
        stub.onCall = first(1, operation, when, fault)
        const bytes = operation === "PutObject" ? 10 : 9 * 1024 * 1024
        const path = fresh("repeated")
        yield* lake.put(path, localFile(Buffer.alloc(bytes, 5)))
        assert.strictEqual(stub.objects.get(path)?.body.length, bytes)
        assert.strictEqual(stub.uploads.size, 0)
        const calls = stub.calls.filter((call) => call.operation === operation).length
        assert.isAtLeast(calls, operation === "UploadPart" ? 3 : 2)
      })
    )
  )

  it.effect("no more often than the SDK's variable says, and only by the SDK", () =>
    withVariables(
      { AWS_MAX_ATTEMPTS: "3" },
      withLake((lake) =>
        Effect.gen(function* () {
          stub.onCall = first(99, "PutObject", "before", broken)
          const error = yield* Effect.flip(lake.putText("a", ""))
          assert.strictEqual(error.reason, "Failed")
          assert.match(error.message, /500 InternalError, after 3 attempts/)
          assert.lengthOf(stub.calls, 3)
        })
      )
    )
  )

  it.effect("as often after a long outage as before it", () =>
    withVariables(
      { AWS_MAX_ATTEMPTS: "2" },
      withLake((lake) =>
        Effect.gen(function* () {
          stub.onCall = first(99, "PutObject", "before", broken)
          yield* Effect.forEach(Array.from({ length: 40 }), () => Effect.flip(lake.putText("out", "")), {
            concurrency: 8,
            discard: true
          })
          stub.onCall = first(1, "PutObject", "before", broken)
          yield* lake.putText("in", "")
          assert.isTrue(stub.objects.has("in"))
        })
      )
    )
  )

  it.effect("and a file in parts that fails permanently is aborted", () =>
    withVariables(
      { AWS_MAX_ATTEMPTS: "1" },
      withLake((lake) =>
        Effect.gen(function* () {
          stub.onCall = first(9, "UploadPart", "after", broken)
          yield* Effect.flip(lake.put("big", localFile(Buffer.alloc(9 * 1024 * 1024))))
          assert.strictEqual(stub.uploads.size, 0)
          assert.isFalse(stub.objects.has("big"))
        })
      )
    )
  )

  it.effect("with the store's time, when this machine's clock is wrong", () =>
    withLake((lake) =>
      Effect.gen(function* () {
        stub.skewMillis = 3 * 3_600_000
        yield* lake.putText("skewed", "")
        assert.isTrue(stub.objects.has("skewed"))
      })
    )
  )
})

it.effect("a bucket of another store than AWS is named in the path, and its region needs no name", () =>
  withVariables(
    { AWS_ENDPOINT_URL_S3: stub.url.replace("127.0.0.1", "localhost"), AWS_REGION: undefined },
    withLake((lake) =>
      Effect.gen(function* () {
        yield* lake.putText("in/the/path", "")
        assert.isTrue(stub.objects.has("in/the/path"))
      })
    )
  )
)

describe("a person is told", () => {
  const refused = (code: string, status = 403): OnCall => first(99, "PutObject", "before", { status, code })
  const put = (bucket = "lake") => withLake((lake) => Effect.flip(lake.putText("a", "")), bucket)
  const denied = (error: LakeError, ...words: ReadonlyArray<string>) => {
    assert.strictEqual(error.reason, "Denied", error.message)
    for (const word of words) assert.include(error.message, word)
    assert.match(error.message, /^s3:\/\/[^ ]+: .+[.)]$/)
    // Neither a key nor a signature.
    assert.notMatch(`${error.message}${JSON.stringify(error)}`, /marked-secret|hush|Signature=|AWS4/)
  }

  it.effect("that the secret is wrong", () =>
    Effect.gen(function* () {
      denied(yield* withVariables({ AWS_SECRET_ACCESS_KEY: "hush-hush" }, put()), "AWS_SECRET_ACCESS_KEY")
      denied(yield* withVariables({ AWS_ACCESS_KEY_ID: "hush" }, put()), "AWS_ACCESS_KEY_ID")
    })
  )

  it.effect("that there are no credentials", () =>
    Effect.gen(function* () {
      const without = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined }
      denied(yield* withVariables(without, put()), "no usable AWS credentials", "AWS_PROFILE")
    })
  )

  it.effect("that the endpoint isn't a URL, without the password in it", () =>
    Effect.gen(function* () {
      for (const endpoint of ["user:hush@host", "ftp://user:hush@host", "http://user:hush@host:99999"]) {
        const error = yield* withVariables({ AWS_ENDPOINT_URL_S3: endpoint }, put())
        denied(error, "AWS_ENDPOINT_URL_S3 (or AWS_ENDPOINT_URL) isn't a URL")
      }
    })
  )

  it.effect("that there is no such bucket, and which", () =>
    Effect.gen(function* () {
      denied(yield* put("nowhere"), "no bucket nowhere", "SITELEDGER_LAKE")
      denied(yield* withLake((lake) => Effect.flip(lake.list("")), "nowhere"), "no bucket nowhere")
    })
  )

  it.effect("that the bucket is elsewhere", () =>
    Effect.gen(function* () {
      denied(yield* withVariables({ AWS_REGION: "eu-west-9" }, put()), "AWS_REGION", "us-east-1")
    })
  )

  it.effect("which right is missing", () =>
    Effect.gen(function* () {
      stub.onCall = refused("AccessDenied")
      denied(yield* put(), "allow s3:PutObject")
      stub.onCall = first(99, "HeadObject", "before", { status: 403, code: "AccessDenied" })
      denied(yield* withLake((lake) => Effect.flip(lake.size("a"))), "allow s3:GetObject")
    })
  )

  it.effect("that the session has ended, or that the clock can't be corrected", () =>
    Effect.gen(function* () {
      stub.onCall = refused("ExpiredToken", 400)
      denied(yield* put(), "AWS_SESSION_TOKEN")
      stub.onCall = refused("RequestTimeTooSkewed")
      denied(yield* put(), "clock")
    })
  )

  it.effect("that there is no room", () =>
    Effect.gen(function* () {
      stub.onCall = refused("QuotaExceeded")
      assert.strictEqual((yield* put()).reason, "Full")
    })
  )

  it.effect("that it has to slow down", () =>
    Effect.gen(function* () {
      stub.onCall = refused("SlowDown", 503)
      const { message, reason } = yield* withVariables({ AWS_MAX_ATTEMPTS: "1" }, put())
      assert.strictEqual(reason, "Failed")
      assert.include(message, "asks to slow down")
    })
  )

  it.effect("that the store doesn't answer", () =>
    Effect.gen(function* () {
      const once = { AWS_MAX_ATTEMPTS: "1" }
      const closed = yield* withVariables({ ...once, AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1" }, put())
      assert.strictEqual(closed.reason, "Failed")
      assert.include(closed.message, "the store at 127.0.0.1:1 refuses connections")
      stub.onCall = first(99, "PutObject", "before", "hang")
      assert.include((yield* withVariables(once, put())).message, "didn't answer in time")
    })
  )

  it.effect("and nothing that the store says moves a terminal's cursor or changes its writing direction", () =>
    Effect.gen(function* () {
      stub.onCall = refused("Odd\u202eError\u009b2J", 400)
      const { message } = yield* withVariables({ AWS_MAX_ATTEMPTS: "1" }, put())
      assert.include(message, "Odd\\u202eError\\x9b2J")
    })
  )
})
