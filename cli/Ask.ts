/**
 * Carries out a verb: through the admin listener when a worker is running on the data directory, else here, with
 * the lock taken, so that there is never a second owner of the files.
 */
import { Effect, flow, type Layer, Option, type Schema } from "effect"
import { FetchHttpClient, HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Settings } from "../config/Settings.ts"
import { AdminApi, type Answer, type Payload, type VerbName } from "../src/Operate/AdminApi.ts"
import { VerbError } from "../src/Operate/AdminApi/Verb.ts"
import { carryOut, type Needs } from "../src/Operate/Verbs.ts"
import { isNoteClosed, Lock, readNote, type WorkerNote } from "../src/Runtime/Lock.ts"

/** The running worker, if there is one. */
export const running = Effect.gen(function* () {
  const { dataDir } = yield* Settings
  if (isNoteClosed(dataDir)) return yield* anothers(dataDir)
  return readNote(dataDir)
})

const anothers = (dataDir: string) =>
  new VerbError({ message: `The worker on ${dataDir} (SITELEDGER_DATA_DIR) is another user's: ask as that user.` })

const listenerOf = ({ admin, token }: WorkerNote) =>
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.mapRequest(flow(HttpClientRequest.prependUrl(admin), HttpClientRequest.bearerToken(token)))
  )

type Trouble = VerbError | HttpClientError.HttpClientError | Schema.SchemaError

/** What stays an HttpClientError: a killed worker left its note, and nothing answers there. */
const answered = <A, R>(asked: Effect.Effect<A, Trouble, R>) =>
  asked.pipe(
    Effect.catchTags({
      HttpClientError: (error) => Effect.fail(error.response === undefined ? error : odd(error.response.status)),
      SchemaError: () => unreadable
    }),
    Effect.provide(FetchHttpClient.layer)
  )

const odd = (status: number) => new VerbError({ message: `The worker answered ${status}.` })

const unreadable = new VerbError({ message: "The worker's answer can't be read: it is of another version." })

/** How the worker is. */
export const report = (note: WorkerNote) =>
  answered(
    Effect.gen(function* () {
      const httpClient = yield* listenerOf(note)
      const status = yield* HttpApiClient.endpoint(AdminApi, { group: "worker", endpoint: "status", httpClient })
      return yield* status()
    })
  )

type Asking = {
  readonly [Name in VerbName]: (request: { readonly payload: Payload<Name> }) => Effect.Effect<Answer<Name>, Trouble>
}

const beside = <Name extends VerbName>(note: WorkerNote, verb: Name, payload: Payload<Name>) =>
  answered(
    Effect.gen(function* () {
      const asking: Asking = yield* HttpApiClient.group(AdminApi, {
        group: "verbs",
        httpClient: yield* listenerOf(note)
      })
      return yield* asking[verb]({ payload })
    })
  )

/** `alone`: what the verb needs when no worker is running; `afterwards`: what is done after it in that case. */
export const ask = <Name extends VerbName, E, R>(
  verb: Name,
  payload: Payload<Name>,
  alone: Layer.Layer<Needs<Name>, E, R>,
  afterwards: Effect.Effect<void> = Effect.void
) =>
  Effect.gen(function* () {
    const { dataDir } = yield* Settings
    const here = carryOut(verb, payload).pipe(
      Effect.provide(alone),
      Effect.tap(afterwards),
      Effect.provide(Lock.layer(dataDir))
    )
    const note = yield* running
    if (Option.isNone(note)) return yield* here
    return yield* Effect.catchTag(beside(note.value, verb, payload), "HttpClientError", () => here)
  })
