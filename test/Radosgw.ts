/**
 * A real S3 for tests: the bucket that SITELEDGER_TEST_S3_URL names (s3://BUCKET/PREFIX, with the AWS SDK's own
 * variables), or else a radosgw for the test file, if Debian's packages ceph-mon, ceph-osd and radosgw are installed.
 * It takes ten seconds to start and runs in a process that ends with this one.
 *
 * If there is neither, or radosgw doesn't start on this machine, `open` returns undefined and says why on stderr. The
 * tests are then skipped visibly.
 */
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { S3 } from "@aws-sdk/client-s3"
import type { Place } from "../src/Lake/S3.ts"
import * as OwnProcess from "./OwnProcess.ts"
import { credentials } from "./Radosgw/Credentials.ts"

const named = process.env.SITELEDGER_TEST_S3_URL
const programs = ["ceph", "ceph-mon", "ceph-osd", "ceph-authtool", "monmaptool", "radosgw", "radosgw-admin"]
const program = join(import.meta.dirname, "Radosgw/radosgw-process.ts")

const isInstalled = (name: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)))

const absent = programs.filter((name) => !isInstalled(name))

const skipped = (why: string): undefined => {
  process.stderr.write(`skipped: tests on a real S3: ${why}\n`)
}

export interface RealS3 {
  /** Empty; what is put there is gone after `close`. */
  readonly place: Place
  /** The variables of the AWS SDK, for the process that uses it. */
  readonly environment: Readonly<Record<string, string>>
  readonly close: () => Promise<void>
}

export const open = async (): Promise<RealS3 | undefined> => {
  if (named !== undefined) return own(named)
  if (absent.length > 0) {
    const packages = "(Debian: ceph-mon ceph-osd radosgw)"
    return skipped(`${absent.join(", ")} not installed ${packages}; name a bucket by SITELEDGER_TEST_S3_URL`)
  }
  const { answer, close } = await OwnProcess.start(program)
  if ("failed" in answer) {
    await close()
    return skipped(`radosgw doesn't start here: ${answer.failed}`)
  }
  const place = { bucket: "lake", prefix: "" }
  await make(answer.url, place.bucket)
  return { place, environment: environment(answer.url), close }
}

const own = (url: string): RealS3 => {
  const [, bucket = "", prefix = ""] = /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(url) ?? []
  const of = `${prefix === "" ? "" : `${prefix}/`}tests-${Date.now()}`
  return { place: { bucket, prefix: of }, environment: {}, close: () => emptied(bucket, `${of}/`) }
}

/** One by one: not every store deletes many at once. */
const emptied = async (Bucket: string, Prefix: string): Promise<void> => {
  const s3 = new S3({ forcePathStyle: process.env.AWS_ENDPOINT_URL_S3 !== undefined })
  while (true) {
    const { Contents = [] } = await s3.listObjectsV2({ Bucket, Prefix })
    if (Contents.length === 0) break
    await Promise.all(Contents.map(({ Key }) => s3.deleteObject({ Bucket, Key })))
  }
  s3.destroy()
}

const environment = (url: string): Readonly<Record<string, string>> => ({
  AWS_ENDPOINT_URL_S3: url,
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_CONFIG_FILE: "/dev/null",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  AWS_EC2_METADATA_DISABLED: "true"
})

const make = async (endpoint: string, Bucket: string): Promise<void> => {
  const s3 = new S3({ endpoint, region: "us-east-1", forcePathStyle: true, credentials })
  await s3.createBucket({ Bucket })
  s3.destroy()
}
