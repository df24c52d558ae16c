/** The values that SITELEDGER_LAKE accepts. */
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { settings } from "./Reading.ts"

const lakeOf = (SITELEDGER_LAKE: string) => Effect.map(settings({ SITELEDGER_LAKE }), ({ lake }) => lake)

describe("SITELEDGER_LAKE", () => {
  it.effect.each([
    ["s3://bucket", "bucket", ""],
    ["S3://my.bucket-1/", "my.bucket-1", ""],
    ["s3://bucket/a/b%20 c?d#e/", "bucket", "a/b%20 c?d#e"]
  ] as const)("%s is a bucket and what comes before each key", ([text, bucket, prefix]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* lakeOf(text), { kind: "s3", bucket, prefix })
    })
  )

  it.effect.each([
    ["file:some/where", resolve("some/where")],
    ["file:/srv/lake", "/srv/lake"],
    ["file:///srv/a%20lake", "/srv/a lake"]
  ] as const)("%s is a folder", ([text, path]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* lakeOf(text), { kind: "folder", path })
    })
  )

  it.effect.each([
    "file:",
    "file://host/share",
    "/srv/lake",
    "s3://",
    "s3:bucket/prefix",
    "s3://a bucket/x",
    "s3://key:hush@bucket/x",
    "s3://bucket//x",
    "s3://bucket/a/../b"
  ])("%s is refused by name, and not repeated", (text) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(lakeOf(text))
      assert.match(message, /SITELEDGER_LAKE must .*\.$/m)
      assert.notInclude(message, "hush")
    })
  )

  it.effect("takes no credentials, and says where they go", () =>
    Effect.gen(function* () {
      assert.include((yield* Effect.flip(lakeOf("s3://key:hush@bucket/x"))).message, "AWS_SECRET_ACCESS_KEY")
    })
  )
})
