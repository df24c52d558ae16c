/**
 * Carries out a verb: through the admin listener when a worker is running on the data directory, else here, with
 * the lock taken, so that there is never a second owner of the files.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest } from "effect/http"
import { Settings } from "../config/Settings.ts"
import * as Json from "../src/Domain/Json.ts"
import { isNoteClosed, Lock, readNote, type WorkerNote } from "../src/Runtime/Lock.ts"

export class AskError extends Schema.TaggedError<AskError>()("AskError", { message: Schema.String }) {}

type Arguments = Readonly<Record<string, string>>

/** The running worker, if there is one. */
export const running = Effect.gen(function* () {
  const { dataDir } = yield* Settings
  if (isNoteClosed(dataDir)) return yield* anothers(dataDir)
  return readNote(dataDir)
})

const anothers = (dataDir: string) =>
  new AskError({ message: `The worker on ${dataDir} (SITELEDGER_DATA_DIR) is another user's: ask as that user.` })

export const send = Effect.fnUntraced(function* (
  note: WorkerNote,
  method: "GET" | "POST",
  path: string,
  given: Arguments = {}
) {
  const client = yield* HttpClient.HttpClient
  const request = HttpClientRequest.make(method)(`${note.admin}${path}`).pipe(
    HttpClientRequest.bearerToken(note.token),
    method === "POST"
      ? HttpClientRequest.setBody(HttpBody.text(JSON.stringify(given), "application/json"))
      : (same) => same
  )
  const response = yield* client.execute(request)
  const body = Json.parse(yield* response.text)
  if (response.status === 200) return body
  const said = Json.isObject(body) ? body["error"] : undefined
  return yield* new AskError({ message: typeof said === "string" ? said : `The worker answered ${response.status}.` })
}, Effect.provide(FetchHttpClient.layer))

const isUnreachable = (error: { readonly _tag: string }): boolean => error._tag === "HttpClientError"

/** `alone` is the verb over its own services, for when no worker is running. */
export const ask = <E extends { readonly message: string }, R>(
  verb: string,
  given: Arguments,
  alone: Effect.Effect<unknown, E, R>
) =>
  Effect.gen(function* () {
    const { dataDir } = yield* Settings
    const here = alone.pipe(Effect.provide(Lock.layer(dataDir)))
    const note = yield* running
    if (Option.isNone(note)) return yield* here
    return yield* send(note.value, "POST", `/verbs/${verb}`, given).pipe(
      // The note of a worker that was killed: nobody answers there.
      Effect.catchIf(isUnreachable, () => here)
    )
  })

/** Builds services for one verb. */
export const over =
  <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  <B, E2, R2>(effect: Effect.Effect<B, E2, R2>) =>
    Effect.scoped(Effect.provide(effect, layer))
