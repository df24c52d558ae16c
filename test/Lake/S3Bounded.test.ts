/** A store whose answers have no end: each kind is read up to its bound, then its connection is closed. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Lake } from "../../src/Lake/Lake.ts"
import * as S3 from "../../src/Lake/S3.ts"
import { using } from "./Contract.ts"
import { stubbed, withVariables } from "./Stubbed.ts"

await stubbed()

const mebibyte = 2 ** 20
const space = Buffer.alloc(mebibyte, " ")

const opened = (status: number) =>
  Effect.promise(async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const sent = { mebibytes: 0, closed }
    const pour = (response: ServerResponse): void => {
      while (!response.destroyed && sent.mebibytes < 500) {
        sent.mebibytes++
        if (!response.write(space)) return
      }
    }
    const server = createServer((request, response) => {
      request.resume()
      response.on("close", resolve)
      response.writeHead(status, { etag: '"1"' }).on("drain", () => pour(response))
      pour(response)
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    return { sent, server }
  })

const endless = <A, E>(status: number, use: (lake: Lake["Service"]) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    opened(status),
    ({ sent, server }) => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const layer = S3.layerAt({ bucket: "lake", prefix: "" }, { ...S3.patient, answerBytes: 2 * mebibyte })
      const result = using(layer, (lake) =>
        Effect.flatMap(use(lake), (value) =>
          Effect.promise(() => sent.closed.then(() => ({ value, mebibytes: sent.mebibytes })))
        )
      )
      return withVariables({ AWS_MAX_ATTEMPTS: "1", AWS_ENDPOINT_URL_S3: url }, result)
    },
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

it.live.each([
  ["a list", 200, "ListObjectsV2", (lake: Lake["Service"]) => Effect.asVoid(lake.list(""))],
  ["an acknowledgement", 200, "PutObject", (lake: Lake["Service"]) => lake.putText("a", "")],
  ["an error", 500, "GetObject", (lake: Lake["Service"]) => Effect.asVoid(lake.readText("a"))]
] as const)("%s", ([, status, operation, call]) =>
  endless(status, (lake) => Effect.flip(call(lake))).pipe(
    Effect.map(({ mebibytes, value }) => {
      assert.strictEqual(value.reason, "Failed")
      assert.include(
        value.message,
        `answered ${operation} with more than ${2 * mebibyte} bytes, which aren't read: raise SITELEDGER_LAKE_ANSWER_MAX_BYTES.`
      )
      assert.isBelow(mebibytes, 32)
    })
  )
)
