/**
 * Reads the document for `siteledger discover`: from a path or a URL, as JSON or YAML, with limits on bytes, time and
 * memory. No token is sent, and no redirect is followed.
 */
import { closeSync, openSync, readSync } from "node:fs"
import { Worker } from "node:worker_threads"
import { Effect, Result, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { Location } from "../../config/Address.ts"
import * as ConstructionHttp from "../../connectors/construction/ConstructionHttp.ts"
import { readText, requestTimeout, whyNoAnswer } from "../../connectors/construction/ConstructionText.ts"
import * as Document from "../../src/Discovery/Document.ts"
import { fileOf } from "../../src/Runtime/Module.ts"
import { whyNot } from "../../src/Runtime/SystemFailure.ts"

export class DocumentFailed extends Schema.TaggedError<DocumentFailed>()("DocumentFailed", {
  message: Schema.String
}) {}

const mebibyte = 2 ** 20
/** Twice the size of the largest published document. */
const mostBytes = 128 * mebibyte

const longestYamlMs = 60_000
const yamlMemoryMb = 2048

const failed = (message: string) => new DocumentFailed({ message })

export const nameOf = (place: Location): string => (place.kind === "file" ? place.path : place.url.href)

/** The document, or a sentence that says what it is instead. */
export const documentAt = Effect.fnUntraced(function* (place: Location) {
  const name = nameOf(place)
  const text = yield* place.kind === "file" ? fromFile(place.path) : fromUrl(place.url)
  const value = yield* valueOf(name, text.replace(/^\uFEFF/, ""))
  return yield* Effect.mapError(Effect.fromResult(Document.open(value)), (why) => failed(`${name} ${why}`))
})

const tooLarge = (name: string) => failed(`${name} is larger than ${mostBytes / mebibyte} MiB, the most that is read.`)

/** Pipes and devices have no size, so bytes are counted. */
const fromFile = (path: string) =>
  Effect.flatMap(
    Effect.try({
      try: () => {
        const file = openSync(path, "r")
        try {
          return wholeOf(file)
        } finally {
          closeSync(file)
        }
      },
      catch: (cause) => failed(`${path} can't be read: ${whyNot(cause)}.`)
    }),
    (text) => (text === undefined ? tooLarge(path) : Effect.succeed(text))
  )

/** Undefined if it is too large. */
const wholeOf = (file: number): string | undefined => {
  const parts: Array<Uint8Array> = []
  for (let bytes = 0; bytes <= mostBytes;) {
    const part = Buffer.allocUnsafe(mebibyte)
    const count = readSync(file, part)
    if (count === 0) return Buffer.concat(parts).toString()
    parts.push(part.subarray(0, count))
    bytes += count
  }
  return undefined
}

const advices: Readonly<Record<number, string>> = {
  401: "No token is sent: download it, and give the file.",
  403: "No token is sent: download it, and give the file."
}

const fromUrl = (url: URL) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const request = HttpClientRequest.get(url.href).pipe(
      HttpClientRequest.setHeader("accept", "application/json, application/yaml;q=0.9, */*;q=0.5")
    )
    const { status, text } = yield* client.execute(request).pipe(
      Effect.flatMap((response) =>
        Effect.map(
          readText(response, { kind: "an OpenAPI document", bytes: mostBytes, advice: "give a smaller one" }),
          (text) => ({ status: response.status, text })
        )
      ),
      Effect.timeout(requestTimeout),
      Effect.mapError((error) => failed(`${url.href} ${whyNoAnswer(error) ?? "can't be read"}.`))
    )
    if (status === 200) return text
    const isRedirect = status >= 300 && status < 400
    const advice = isRedirect
      ? "Redirects aren't followed: give the address that it leads to."
      : (advices[status] ?? "Check the address.")
    return yield* failed(`${url.href} answered ${status}. ${advice}`)
  }).pipe(Effect.scoped, Effect.provide(ConstructionHttp.layer))

/** Text that begins like JSON is JSON. */
const valueOf = (name: string, text: string): Effect.Effect<unknown, DocumentFailed> => {
  if (!/^\s*[{[]/.test(text.slice(0, 1000))) return yaml(name, text)
  return Effect.mapError(
    Effect.fromResult(Result.try({ try: () => JSON.parse(text) as unknown, catch: placeIn })),
    (place) => failed(`${name} isn't JSON${place}.`)
  )
}

/** Where parsing fails, without quoting the text. */
const placeIn = (cause: unknown): string => {
  const [place] = /line \d+ column \d+/.exec(cause instanceof Error ? cause.message : "") ?? []
  return place === undefined ? ": it breaks off" : `: see ${place}`
}

type Answer = { readonly value: unknown } | { readonly problem: string }

const threadFile = fileOf(new URL("./yaml-thread.ts", import.meta.url))

const yaml = (name: string, text: string): Effect.Effect<unknown, DocumentFailed> =>
  Effect.callback<Answer, DocumentFailed>((resume) => {
    const thread = new Worker(threadFile, {
      name: "yaml",
      workerData: text,
      resourceLimits: { maxOldGenerationSizeMb: yamlMemoryMb }
    })
    thread.once("message", (answer: Answer) => resume(Effect.succeed(answer)))
    thread.once("error", () =>
      resume(failed(`${name} takes more memory to read as YAML than is allowed. Try it as JSON.`))
    )
    return Effect.promise(() => thread.terminate())
  }).pipe(
    Effect.timeoutOrElse({
      duration: longestYamlMs,
      orElse: () => failed(`${name} takes more than ${longestYamlMs / 1000} seconds to read as YAML. Give it as JSON.`)
    }),
    Effect.flatMap((answer) =>
      "problem" in answer
        ? failed(`${name} isn't YAML that can be read: ${answer.problem}.`)
        : Effect.succeed(answer.value)
    )
  )
