/** A file from a bucket whose answers break off. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { digest as digestOf } from "../../src/Lake/LocalFiles.ts"
import * as S3 from "../../src/Lake/S3.ts"
import { patient } from "../../src/Lake/S3/Client.ts"
import type { Call } from "../../trust/S3Stub.ts"
import { localFile, localPath, using } from "./Contract.ts"
import { stubbed } from "./Stubbed.ts"

const stub = await stubbed()

const mebibyte = 1024 * 1024
const place = { bucket: "lake", prefix: "some/prefix" }
const layer = () => S3.layerAt(place)

describe("a body that breaks off", () => {
  const breaking = (times: number, fault: "half" | "stall" = "half") => {
    let left = times
    return ({ operation }: Call, when: string) =>
      operation === "GetObject" && when === "after" && (left -= 1) >= 0 ? fault : undefined
  }

  it.effect.each([
    ["broke", "half", 3],
    ["stood still", "stall", 1]
  ] as const)("is requested again from where it %s", ([, fault, times]) =>
    using(S3.layerAt(place, { ...patient, idleMillis: 1_000 }), (lake) =>
      Effect.gen(function* () {
        const content = Buffer.alloc(3 * mebibyte, "rows of all kinds")
        yield* lake.put("a.parquet", localFile(content))
        stub.reset()
        stub.onCall = breaking(times, fault)
        const to = localPath()
        assert.isTrue(yield* lake.fetch("a.parquet", to))
        const { bytes, sha256 } = yield* digestOf(to)
        assert.deepStrictEqual([bytes, sha256], [content.length, createHash("sha256").update(content).digest("hex")])
        assert.isAtLeast(stub.calls.length, times + 1)
        assert.match(String(stub.calls[1]?.headers.range), /^bytes=[1-9]\d*-$/)
      })
    )
  )

  it.effect("of a file that was replaced meanwhile starts over", () =>
    using(layer(), (lake) =>
      Effect.gen(function* () {
        yield* lake.put("a.json", localFile(Buffer.alloc(mebibyte, "old")))
        const after = Buffer.alloc(2 * mebibyte, "new")
        stub.onCall = ({ operation }, when) => {
          if (operation !== "GetObject" || when !== "after") return undefined
          stub.onCall = () => undefined
          setImmediate(() => stub.objects.set("some/prefix/a.json", { body: after, etag: "of the new" }))
          return "half"
        }
        const to = localPath()
        yield* lake.fetch("a.json", to)
        assert.strictEqual((yield* digestOf(to)).sha256, createHash("sha256").update(after).digest("hex"))
      })
    )
  )

  it.effect("of a text is requested again", () =>
    using(layer(), (lake) =>
      Effect.gen(function* () {
        yield* lake.putText("a.json", "text")
        stub.onCall = breaking(2)
        assert.strictEqual(Option.getOrThrow(yield* lake.readText("a.json")).text, "text")
      })
    )
  )
})
