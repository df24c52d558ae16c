/** How much of an answer is read: 32 MiB of a list page, 1 MiB of any other, counted after unpacking. */
import type { ServerResponse } from "node:http"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { calling, json, listed, subscribed, withTokens } from "./Called.ts"
import { get, reasons } from "./ConstructionAuth/Tokens.ts"

const mebibyte = 2 ** 20
const megabyte = Buffer.alloc(mebibyte, " ")

const pageOf = (records: number, bytes: number) => {
  const data = Array.from({ length: records }, (_, id) => ({ id, name: "n".repeat(bytes), status: "é" }))
  return JSON.stringify({ data, pagination: { total: records, page: 1, per_page: records } })
}

/** Sends as long as the other side reads, up to a number of MiB; returns how many it has taken. */
const pouring = (mebibytes: number) => {
  const poured: Array<number> = []
  const pour = (response: ServerResponse) => {
    const index = poured.push(0) - 1
    const more = () => {
      while (!response.destroyed && (poured[index] ?? 0) < mebibytes) {
        poured[index] = (poured[index] ?? 0) + 1
        if (!response.write(megabyte)) return
      }
      response.end()
    }
    response.on("drain", more)
    more()
  }
  return { poured, pour }
}

/** The first reason that a person sees while a call goes on. */
const reasonDuring = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(call)
    const seen = Effect.flatMap(reasons, ([reason]) =>
      reason === undefined ? Effect.fail("none yet") : Effect.succeed(reason)
    )
    const reason = yield* Effect.retry(seen, Schedule.spaced("20 millis"))
    yield* Fiber.interrupt(fiber)
    return reason
  })

describe("an answer of 10 MB", () => {
  const page = pageOf(1000, 10_000)
  const packings = {
    identity: Buffer.from(page),
    gzip: gzipSync(page),
    deflate: deflateSync(page),
    br: brotliCompressSync(page),
    "gzip, br": brotliCompressSync(gzipSync(page))
  }
  it.live.each(Object.entries(packings))("sent as %s is read to the last character", ([encoding, bytes]) =>
    calling(
      withTokens((response) => response.writeHead(200, { ...json, "content-encoding": encoding }).end(bytes)),
      () =>
        Effect.gen(function* () {
          const { records } = yield* listed
          assert.strictEqual(records.length, 1000)
          assert.deepInclude(records[999] as object, { name: "n".repeat(10_000), status: "é" })
        })
    )
  )

  it.live("keeps its connection for the next requests", () =>
    calling(
      withTokens((response) => response.writeHead(200, json).end(page)),
      (service) =>
        Effect.gen(function* () {
          for (let call = 0; call < 8; call++) yield* listed
          assert.isAtMost(service.connections, 2)
        })
    )
  )
})

describe("an answer that is too large", () => {
  it.live("and says so isn't read, and the reason says how large", () => {
    const { pour, poured } = pouring(300)
    return calling(
      withTokens((response) => pour(response.writeHead(200, { ...json, "content-length": 300 * mebibyte }))),
      () =>
        Effect.gen(function* () {
          const reason = yield* reasonDuring(listed)
          assert.match(
            reason,
            /\(SITELEDGER_BASE_URL\) answered with 300 MiB, more than the 32 MiB that are read of a list page/
          )
          assert.match(reason, /: lower SITELEDGER_PAGE_SIZE, or raise SITELEDGER_PAGE_MAX_BYTES\.$/)
          for (const each of poured) assert.isBelow(each, 32)
        })
    )
  })

  it.live("or endless is read up to 32 MiB, one at a time, and requested again", () => {
    const { pour, poured } = pouring(Infinity)
    return calling(
      withTokens((response) => pour(response.writeHead(200, json))),
      () =>
        Effect.gen(function* () {
          const eight = Effect.all(
            Array.from({ length: 8 }, () => listed),
            { concurrency: "unbounded" }
          )
          const reason = yield* reasonDuring(eight)
          assert.match(reason, /answered with more than the 32 MiB that are read/)
          assert.isAtLeast(poured.length, 8)
          for (const each of poured) assert.isBelow(each, 32 + 32)
        })
    )
  })

  it.live("unpacked is read no further than that", () => {
    const bomb = gzipSync(Buffer.alloc(300 * mebibyte, " "))
    return calling(
      withTokens((response) => response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(bomb)),
      () =>
        Effect.gen(function* () {
          assert.isBelow(bomb.length, mebibyte)
          assert.match(yield* reasonDuring(listed), /answered with more than the 32 MiB that are read/)
        })
    )
  })

  it.live("to a POST is read up to 1 MiB", () => {
    const { pour, poured } = pouring(Infinity)
    return calling(
      withTokens((response) => pour(response.writeHead(200, json))),
      () =>
        Effect.gen(function* () {
          const reason = yield* reasonDuring(subscribed)
          assert.match(
            reason,
            /answered with more than the 1 MiB that are read of the answer to a POST: raise SITELEDGER_ANSWER_MAX_BYTES\.$/
          )
          for (const each of poured) assert.isBelow(each, 32)
        })
    )
  })

  it.live("is as large as its variable says", () => {
    const bytes = Buffer.byteLength(pageOf(10, 100))
    const answer = withTokens((response) => response.writeHead(200, json).end(pageOf(10, 100)))
    const most = (size: number) => ({ variables: { SITELEDGER_PAGE_MAX_BYTES: String(size) } })
    return Effect.gen(function* () {
      assert.lengthOf((yield* calling(answer, () => listed, most(bytes))).records, 10)
      const reason = yield* calling(answer, () => reasonDuring(listed), most(bytes - 1))
      assert.include(reason, `more than the ${bytes - 1} bytes that are read of a list page`)
    })
  })

  it.live("of the token endpoint is read up to 1 MiB, and the next one is taken", () => {
    let asked = 0
    const token = (filler: number) => JSON.stringify({ access_token: "at", filler: " ".repeat(filler) })
    return calling(
      (response) => response.writeHead(200, json).end(token(asked++ < 1 ? 2 * mebibyte : 1000)),
      () =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(get)
          const seen = Effect.flatMap(reasons, ([reason]) => Effect.fromNullishOr(reason))
          const reason = yield* Effect.retry(seen, Schedule.spaced("5 millis"))
          assert.match(
            reason,
            /\(SITELEDGER_AUTH_URL\) answered with more than the 1 MiB that are read of a token: raise SITELEDGER_TOKEN_MAX_BYTES\.$/
          )
          assert.strictEqual(yield* Fiber.join(fiber), "at")
        })
    )
  })
})

describe("a compressed answer", () => {
  it.live("that is damaged is a reason", () => {
    const cut = gzipSync(pageOf(10, 1000)).subarray(0, 60)
    return calling(
      withTokens((response) => response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(cut)),
      () =>
        Effect.gen(function* () {
          assert.match(
            yield* reasonDuring(listed),
            /broke off its answer: its compressed answer can't be unpacked \(Z_/
          )
        })
    )
  })
})
