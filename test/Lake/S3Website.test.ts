/** A bucket's address that is a web server's: it answers everything with 200 and a page, and stores nothing. */
import { once } from "node:events"
import { createServer, type OutgoingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Lake, type LakeError } from "../../src/Lake/Lake.ts"
import * as S3 from "../../src/Lake/S3.ts"
import { localFile, using } from "./Contract.ts"
import { temporaryFolder } from "../Folders.ts"
import { exporting, run } from "./ExportWorld.ts"
import { stubbed, withVariables } from "./Stubbed.ts"

await stubbed()

const page = "<html><p>It works!</html>"

const opened = (headers: OutgoingHttpHeaders) =>
  Effect.promise(async () => {
    const all = { ...headers, "content-length": page.length }
    const site = createServer((_request, response) => response.writeHead(200, all).end(page))
    await once(site.listen(0, "127.0.0.1"), "listening")
    return site
  })

const website = <A, E>(headers: OutgoingHttpHeaders, use: (lake: Lake["Service"]) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    opened(headers),
    (site) => {
      const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
      const layer = S3.layerAt({ bucket: "lake", prefix: "" })
      return withVariables({ AWS_MAX_ATTEMPTS: "1", AWS_ENDPOINT_URL_S3: url }, using(layer, use))
    },
    (site) =>
      Effect.sync(() => {
        site.closeAllConnections()
        site.close()
      })
  )

const exported = (lake: Lake["Service"]) =>
  Effect.flip(Effect.scoped(Effect.provide(run, exporting(temporaryFolder(), Layer.succeed(Lake, lake)))))

it.effect("a page without a version is an error to every read, write and list, and to an export", () =>
  website({}, (lake) =>
    Effect.gen(function* () {
      const calls = [
        lake.readText("a"),
        lake.put("a", localFile("rows")),
        lake.put("a", localFile(Buffer.alloc(9 * 1024 * 1024))),
        lake.putText("a", ""),
        lake.replaceText("a", "", Option.none()),
        lake.replaceText("a", "", Option.some("1")),
        lake.list("")
      ]
      for (const call of calls) {
        const { message, reason } = yield* Effect.flip<unknown, LakeError, never>(call)
        assert.strictEqual(reason, "Failed")
        assert.match(
          message,
          /^s3:\/\/lake: the store at [\d.:]+ answered \w+ in a way that no S3 store does: check AWS_ENDPOINT_URL_S3\.$/
        )
      }
      assert.include((yield* exported(lake)).message, "answered GetObject in a way that no S3 store does")
    })
  )
)

it.effect("an export also ends if each page has a version, as web servers send it", () =>
  website({ etag: '"5f-61"' }, (lake) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* exported(lake)).message, "s3://lake claims that every file exists.")
    })
  )
)
