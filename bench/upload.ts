/**
 * Upload of one large file into a bucket by the Lake, compared with a bare multipart upload of the same bytes by the
 * AWS SDK with as many parts at once; the two alternate, and medians are compared. The store is a separate process that
 * keeps nothing, or a real one: BENCH_UPLOAD_LAKE=s3://BUCKET/PREFIX with the SDK's own variables. Peak memory is also
 * measured for a quarter of the bytes, because it must not grow with them. Prints one JSON line; the goal is a ratio of
 * 0.9. Run: node bench/upload.ts
 */
import { mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { S3 } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import { Lake } from "../src/Lake/Lake.ts"
import * as S3Lake from "../src/Lake/S3.ts"
import { partsAtOnce, partSize } from "../src/Lake/S3/Upload.ts"
import { median, peakMb, round, start } from "./Child.ts"

const mebibyte = 1024 * 1024
const bytes = Number(process.env["BENCH_UPLOAD_MIB"] ?? 512) * mebibyte
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
const [, named, prefix = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(process.env["BENCH_UPLOAD_LAKE"] ?? "") ?? []
const Bucket = named ?? "bench"

const directory = mkdtempSync(join(tmpdir(), "siteledger-bench-"))
const server = named === undefined ? await start("UploadServer.ts") : undefined
if (server !== undefined) {
  process.env["AWS_ENDPOINT_URL_S3"] = `http://127.0.0.1:${server.line}`
  process.env["AWS_REGION"] = "us-east-1"
  process.env["AWS_ACCESS_KEY_ID"] = process.env["AWS_SECRET_ACCESS_KEY"] = "bench"
}

/** Incompressible bytes, like Parquet's. */
const fileOf = async (name: string, size: number): Promise<string> => {
  const path = join(directory, name)
  const file = await open(path, "w")
  const piece = crypto.getRandomValues(new Uint8Array(65_536))
  const noise = Buffer.concat(Array.from({ length: mebibyte / piece.length }, () => piece))
  for (let written = 0; written < size; written += noise.length) await file.write(noise)
  await file.close()
  return path
}

const put = (path: string) =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(Lake, (lake) => lake.put("bench/lake.parquet", path)),
      S3Lake.layerAt({ bucket: Bucket, prefix })
    )
  )

/** As in the SDK's manual. */
const bare = async (path: string): Promise<void> => {
  const s3 = new S3({
    forcePathStyle: process.env["AWS_ENDPOINT_URL_S3"] !== undefined,
    requestChecksumCalculation: "WHEN_REQUIRED"
  })
  const Key = `${prefix === "" ? "" : `${prefix}/`}bench/bare.parquet`
  const file = await open(path)
  const { UploadId = "" } = await s3.createMultipartUpload({ Bucket, Key })
  const size = partSize(bytes)
  const ETags: Array<string | undefined> = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next * size < bytes) {
      const index = next++
      const Body = Buffer.allocUnsafe(Math.min(size, bytes - index * size))
      await file.read(Body, 0, Body.length, index * size)
      ETags[index] = (await s3.uploadPart({ Bucket, Key, UploadId, PartNumber: index + 1, Body })).ETag
    }
  }
  await Promise.all(Array.from({ length: partsAtOnce }, lane))
  const Parts = ETags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
  await s3.completeMultipartUpload({ Bucket, Key, UploadId, MultipartUpload: { Parts } })
  await file.close()
  s3.destroy()
}

const secondsOf = async (upload: Promise<void>): Promise<number> => {
  const began = performance.now()
  await upload
  return (performance.now() - began) / 1000
}

await put(await fileOf("quarter", bytes / 4))
const peakMbQuarter = peakMb()
const path = await fileOf("whole", bytes)
await put(path)
const peakMbWhole = peakMb()
const own: Array<number> = []
const bares: Array<number> = []
for (let done = 0; done < rounds; done++) {
  bares.push(await secondsOf(bare(path)))
  own.push(await secondsOf(put(path)))
}
const mbPerSecond = (seconds: ReadonlyArray<number>): number => Math.round(bytes / 1e6 / median(seconds))
process.stdout.write(
  `${JSON.stringify({
    bench: "upload",
    store: named === undefined ? "bare" : "real",
    mb: Math.round(bytes / 1e6),
    mbPerSecond: mbPerSecond(own),
    bareMbPerSecond: mbPerSecond(bares),
    ratio: round(median(bares) / median(own), 2),
    peakMbQuarter,
    peakMb: peakMbWhole
  })}\n`
)
server?.process.kill()
rmSync(directory, { recursive: true })
