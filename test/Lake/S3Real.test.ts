/** A bucket as the lake, on a store that isn't ours: radosgw if it is installed, or the one that is named. */
import { createHash } from "node:crypto"
import { S3 as Sdk } from "@aws-sdk/client-s3"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { bucket as examined } from "../../src/Operate/Doctor/Bucket.ts"
import { Lake } from "../../src/Lake/Lake.ts"
import { digest } from "../../src/Lake/LocalFiles.ts"
import * as S3 from "../../src/Lake/S3.ts"
import * as Verify from "../../src/Lake/Verify.ts"
import { open, type RealS3 } from "../Radosgw.ts"
import { temporaryFolder } from "../Folders.ts"
import { exporting, ipc, now, on, run, write } from "./ExportWorld.ts"
import { contract, localFile, localPath, using } from "./Contract.ts"

/** Holds the first replacement of a text until there is a second. */
const bothAtOnce = (layer: Layer.Layer<Lake>) =>
  Effect.map(Latch.make(), (latch) => {
    let waiting = 0
    const held = Effect.map(Lake, (lake) =>
      Lake.of({
        ...lake,
        replaceText: (...replacement) =>
          Effect.suspend(() => ((waiting += 1) === 2 ? latch.open : latch.await)).pipe(
            Effect.andThen(lake.replaceText(...replacement))
          )
      })
    )
    return Layer.effect(Lake, held).pipe(Layer.provide(layer))
  })

const opened = await open()
const nowhere: RealS3 = { place: { bucket: "", prefix: "" }, environment: {}, close: async () => undefined }
const real = opened ?? nowhere

describe.skipIf(opened === undefined)("a real S3", () => {
  let sdk: Sdk
  beforeAll(() => {
    Object.assign(process.env, real.environment)
    sdk = new Sdk({ forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined })
  })
  afterAll(async () => {
    sdk.destroy()
    await real.close()
  })

  const layer = () => S3.layerAt(real.place)
  const keyOf = (path: string) => (real.place.prefix === "" ? path : `${real.place.prefix}/${path}`)
  const uploads = async () => {
    const { Uploads = [] } = await sdk.listMultipartUploads({ Bucket: real.place.bucket, Prefix: real.place.prefix })
    return Uploads.map(({ Key = "" }) => Key.slice(keyOf("").length))
  }

  contract(() => ({
    layer,
    leaveUnfinished: async (path) => {
      await sdk.createMultipartUpload({ Bucket: real.place.bucket, Key: keyOf(path) })
    },
    unfinished: uploads
  }))

  it.effect("stores and returns a big file in parts", () =>
    using(layer(), (lake) =>
      Effect.gen(function* () {
        const content = Buffer.alloc(20 * 1024 * 1024 + 7, "rows of all kinds")
        yield* lake.put("parts/big.parquet", localFile(content))
        const to = localPath()
        yield* lake.fetch("parts/big.parquet", to)
        const { bytes, sha256 } = yield* digest(to)
        assert.deepStrictEqual([bytes, sha256], [content.length, createHash("sha256").update(content).digest("hex")])
        assert.deepStrictEqual(yield* Effect.promise(uploads), [])
      })
    )
  )

  it.effect("lists more than a page of files", () =>
    using(layer(), (lake) =>
      Effect.gen(function* () {
        const paths = Array.from({ length: 1_050 }, (_, index) => `many/${String(index).padStart(4, "0")}`)
        yield* Effect.forEach(paths, (path) => lake.putText(path, ""), { concurrency: 16, discard: true })
        assert.deepStrictEqual(yield* lake.list("many/"), paths)
      })
    )
  )

  it.effect("has nothing left after the doctor's check", () =>
    Effect.gen(function* () {
      const before = yield* using(layer(), (lake) => lake.list(""))
      const findings = yield* examined(real.place)
      assert.deepStrictEqual(
        findings.map(({ verdict }) => verdict),
        ["ok", "ok"]
      )
      assert.deepStrictEqual(yield* using(layer(), (lake) => lake.list("")), before)
      assert.deepStrictEqual(yield* Effect.promise(uploads), [])
    })
  )

  it.effect("shows one of two exports that run at once, and every value of it", () =>
    Effect.gen(function* () {
      const both = yield* bothAtOnce(S3.layerAt({ ...real.place, prefix: keyOf("exported") }))
      const exported = (date: string) =>
        Effect.gen(function* () {
          yield* write([on("2026-11-18"), on(date)], [ipc("IPC-1", "1")])
          const outcome = yield* Effect.result(run)
          const verified = yield* Verify.verify(Option.none(), () => Effect.void)
          assert.deepStrictEqual(Verify.faultsOf(verified), [])
          return [outcome._tag === "Success" ? outcome.success.run : outcome.failure._tag, verified.run]
        }).pipe(Effect.provide(exporting(temporaryFolder(), both)))
      yield* TestClock.setTime(now)
      const [first = [], second = []] = yield* Effect.all([exported("2026-11-19"), exported("2026-11-20")], {
        concurrency: "unbounded"
      })
      const [won, lost] = first[0] === "Overtaken" ? [second, first] : [first, second]
      assert.deepStrictEqual([won[0], lost[0]], [won[1], "Overtaken"])
      assert.deepStrictEqual(yield* Effect.promise(uploads), [])
    })
  )

  it.effect("refuses wrong keys and missing buckets with the same messages as the stub", () =>
    Effect.gen(function* () {
      const refusal = (bucket: string) =>
        using(S3.layerAt({ bucket, prefix: "" }), (lake) =>
          Effect.map(Effect.flip(lake.putText("a", "")), ({ message, reason }) => {
            assert.strictEqual(reason, "Denied", message)
            return message
          })
        )
      assert.include(yield* refusal("siteledger-has-no-such-bucket"), "no bucket siteledger-has-no-such-bucket")
      const secret = Option.fromUndefinedOr(process.env.AWS_SECRET_ACCESS_KEY)
      if (Option.isNone(secret)) return
      process.env.AWS_SECRET_ACCESS_KEY = "wrong"
      const wrong = yield* Effect.ensuring(
        refusal(real.place.bucket),
        Effect.sync(() => (process.env.AWS_SECRET_ACCESS_KEY = secret.value))
      )
      assert.include(wrong, "AWS_SECRET_ACCESS_KEY")
    })
  )
})
