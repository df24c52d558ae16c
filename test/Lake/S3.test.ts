/** A bucket as the lake, over the stub; S3Failures, S3Replace and S3Download are about what goes wrong. */
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as S3 from "../../src/Lake/S3.ts"
import { partSize, partsAtOnce } from "../../src/Lake/S3/Upload.ts"
import type { Call } from "../../trust/S3Stub.ts"
import { contract, localFile, using } from "./Contract.ts"
import { stubbed } from "./Stubbed.ts"

const stub = await stubbed()

const mebibyte = 1024 * 1024
const layer = (prefix = "some/prefix") => S3.layerAt({ bucket: "lake", prefix })
const operations = () => stub.calls.map(({ operation }) => operation)
const leaveUnfinished = (key: string): Promise<void> => {
  stub.uploads.set(`killed ${stub.uploads.size}`, { key, parts: new Map() })
  return Promise.resolve()
}
const unfinished = (prefix: string) => () =>
  Promise.resolve([...stub.uploads.values()].map(({ key }) => key.slice(prefix.length)))

describe("a bucket with a prefix", () => {
  contract(() => ({
    layer,
    leaveUnfinished: (path) => leaveUnfinished(`some/prefix/${path}`),
    unfinished: unfinished("some/prefix/")
  }))
})

describe("a bucket from its root, listed three keys at a time", () => {
  beforeAll(() => void (stub.pageSize = 3))
  afterAll(() => void (stub.pageSize = 1000))
  contract(() => ({ layer: () => layer(""), leaveUnfinished, unfinished: unfinished("") }))
})

describe("a bucket", () => {
  it.effect("gets no request before it is used", () =>
    Effect.gen(function* () {
      yield* using(layer(), () => Effect.void)
      assert.deepStrictEqual(stub.calls, [])
    })
  )

  it.effect("shows only keys below the prefix, and none that stand for folders", () =>
    using(layer("mine"), (lake) =>
      Effect.gen(function* () {
        for (const key of ["mine/a", "mine/", "mine/b/", "mine-too/c", "d"]) {
          stub.objects.set(key, { body: Buffer.from(""), etag: "x" })
        }
        assert.deepStrictEqual(yield* lake.list(""), ["a"])
      })
    )
  )

  it.effect("is cleared of more unfinished uploads than fit on a page", () =>
    using(layer("paged"), (lake) =>
      Effect.gen(function* () {
        stub.pageSize = 2
        for (let index = 0; index < 5; index++) yield* Effect.promise(() => leaveUnfinished(`paged/${index}`))
        yield* lake.abandon((path) => path !== "3")
        assert.deepStrictEqual(yield* Effect.promise(unfinished("paged/")), ["3"])
        yield* lake.abandon(() => true)
      })
    ).pipe(Effect.ensuring(Effect.sync(() => (stub.pageSize = 1000))))
  )

  it.effect("leaves unfinished uploads to a store that can't list them", () =>
    using(layer(), (lake) =>
      Effect.gen(function* () {
        stub.onCall = ({ operation }, when) =>
          operation === "ListMultipartUploads" && when === "before"
            ? { status: 501, code: "NotImplemented" }
            : undefined
        yield* lake.abandon(() => assert.fail("it knows of none"))
        stub.reset()
      })
    )
  )

  it.effect("gets a small file in one request, whose body's SHA-256 is signed", () =>
    using(layer(), (lake) =>
      Effect.gen(function* () {
        const content = Buffer.alloc(partSize(0), 1)
        yield* lake.put("a.parquet", localFile(content))
        assert.deepStrictEqual(operations(), ["PutObject"])
        const headers = stub.calls[0]?.headers ?? {}
        assert.strictEqual(headers["x-amz-content-sha256"], createHash("sha256").update(content).digest("hex"))
        assert.strictEqual(headers["content-type"], "application/vnd.apache.parquet")
        assert.isUndefined(headers["expect"])
        assert.isUndefined(headers["x-amz-checksum-crc32"])
      })
    )
  )

  it.effect("gets the newer checksums too when the SDK's variable says so", () => {
    process.env.AWS_REQUEST_CHECKSUM_CALCULATION = "WHEN_SUPPORTED"
    return using(layer(), (lake) =>
      Effect.gen(function* () {
        yield* lake.put("a.parquet", localFile("rows"))
        yield* lake.put("b.parquet", localFile(Buffer.alloc(9 * mebibyte, 2)))
        const sent = stub.calls.filter(({ operation }) => ["PutObject", "UploadPart"].includes(operation))
        assert.lengthOf(sent, 3)
        for (const { headers } of sent) assert.isString(headers["x-amz-checksum-crc32"])
      })
    ).pipe(Effect.ensuring(Effect.sync(() => delete process.env.AWS_REQUEST_CHECKSUM_CALCULATION)))
  })

  it.effect("gets a big file in parts, and doesn't show it before the last", () =>
    using(layer(), (lake) =>
      Effect.gen(function* () {
        const content = Buffer.alloc(2 * partSize(0) + 1, "some rows")
        stub.onCall = ({ operation }, when) => {
          const isThere = stub.objects.has("some/prefix/big.parquet")
          if (when === "before" && operation !== "HeadObject") assert.isFalse(isThere)
          return undefined
        }
        yield* lake.put("big.parquet", localFile(content))
        const parts = ["UploadPart", "UploadPart", "UploadPart"]
        assert.deepStrictEqual(operations(), [
          "CreateMultipartUpload",
          ...parts,
          "CompleteMultipartUpload",
          "HeadObject"
        ])
        assert.isTrue(content.equals(stub.objects.get("some/prefix/big.parquet")?.body ?? Buffer.alloc(0)))
        assert.strictEqual(stub.uploads.size, 0)
      })
    )
  )

  it.effect("isn't believed to have a file that it has only in part", () =>
    using(layer(), (lake) =>
      Effect.gen(function* () {
        stub.onCall = ({ operation, key }, when) => {
          if (operation !== "CompleteMultipartUpload" || when !== "after") return undefined
          stub.objects.set(key, { body: Buffer.alloc(partSize(0)), etag: "of less" })
          return undefined
        }
        const error = yield* Effect.flip(lake.put("cut.parquet", localFile(Buffer.alloc(partSize(0) + 1))))
        assert.strictEqual(error.reason, "Failed")
        assert.include(error.message, "cut.parquet has 8388608 bytes instead of 8388609")
      })
    )
  )

  it.effect("has few parts in memory at once, for any files", () =>
    using(layer(), (lake) =>
      Effect.gen(function* () {
        let bodies = 0
        let release: () => void = () => undefined
        const released = new Promise<undefined>((resolve) => (release = () => resolve(undefined)))
        const asMany = new Promise<void>((resolve) => {
          stub.onCall = ({ operation }, when) => {
            if (when !== "arriving" || !["PutObject", "UploadPart"].includes(operation)) return undefined
            if ((bodies += 1) === partsAtOnce) resolve()
            return released
          }
        })
        const [big, small] = [localFile(Buffer.alloc(3 * partSize(0), 3)), localFile("rows")]
        const files = [big, big, big, ...Array.from({ length: 20 }, () => small)]
        const putting = yield* Effect.forkChild(
          Effect.forEach(files, (file, index) => lake.put(`few/${index}`, file), { concurrency: "unbounded" })
        )
        yield* Effect.promise(() => asMany)
        // Time enough for a seventh.
        for (let asked = 0; asked < 20; asked++) yield* lake.size("few")
        assert.strictEqual(bodies, partsAtOnce)
        release()
        yield* Fiber.join(putting)
        assert.strictEqual(bodies, 29)
      })
    )
  )

  it("takes files of any size that S3 does, in whole MiB", () => {
    const terabyte = 1024 ** 4
    assert.strictEqual(partSize(1), 8 * mebibyte)
    assert.strictEqual(partSize(80_000 * mebibyte), 8 * mebibyte)
    assert.strictEqual(partSize(80_000 * mebibyte + 1), 9 * mebibyte)
    assert.isAtMost(Math.ceil((5 * terabyte) / partSize(5 * terabyte)), 10_000)
  })
})

describe("an interruption", () => {
  it.effect("ends the request, and the unfinished upload", () =>
    using(layer("interrupted"), (lake) =>
      Effect.gen(function* () {
        const arrived = new Promise<Call>((resolve) => {
          stub.onCall = (call, when) => {
            if (call.operation !== "UploadPart" || when !== "before") return undefined
            resolve(call)
            return "hang"
          }
        })
        const put = yield* Effect.forkChild(lake.put("big.parquet", localFile(Buffer.alloc(9 * mebibyte, 4))))
        const part = yield* Effect.promise(() => arrived)
        assert.strictEqual(stub.uploads.size, 1)
        yield* Fiber.interrupt(put)
        yield* Effect.promise(() => part.closed)
        assert.strictEqual(stub.uploads.size, 0)
        assert.deepStrictEqual(yield* lake.list(""), [])
      })
    )
  )
})
