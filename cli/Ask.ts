/**
 * Carries out a verb: through the admin listener of the worker that SITELEDGER_WORKER_URL names; otherwise of the
 * worker that is running on the data directory; otherwise in this process, with the lock taken. The files never have
 * two owners.
 */
import { Effect, flow, type Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Settings } from "../config/Settings.ts"
import type { LedgerError } from "../src/Ledger/People/Decide.ts"
import { AdminApi, type Answer, neededFor, type Payload, type VerbName } from "../src/Operate/AdminApi.ts"
import { VerbError } from "../src/Operate/AdminApi/Verb.ts"
import { carryOut, type Needs } from "../src/Operate/Verbs.ts"
import { ownUser } from "../src/Operate/Admin/Caller.ts"
import { layerPatient } from "../src/Runtime/Http.ts"
import { underWay } from "../src/Runtime/Progress.ts"
import { codeOf } from "../src/Runtime/SystemFailure.ts"
import { isNoteClosed, Lock, readNote, type WorkerNote } from "../src/Runtime/Lock.ts"
import * as Bar from "./Bar.ts"
import * as Interrupted from "./Interrupted.ts"

/** Where a worker answers, and the token for calling it. */
export interface Asked extends Pick<WorkerNote, "admin" | "token"> {
  /** A person named it, so nothing is done here instead. */
  readonly isNamed: boolean
}

/** The worker on the data directory, if one is running. */
export const ownWorker = Effect.gen(function* () {
  const { dataDir } = yield* Settings
  return isNoteClosed(dataDir) ? yield* otherUsers(dataDir) : readNote(dataDir)
})

/** The worker to ask, if there is one. */
export const running = Effect.gen(function* () {
  const { token: given, workerUrl } = yield* Settings
  const token = Option.map(given, Redacted.value)
  if (Option.isSome(workerUrl)) {
    const admin = workerUrl.value.href.replace(/\/+$/, "")
    return Option.some<Asked>({ admin, token: Option.getOrElse(token, () => ""), isNamed: true })
  }
  return Option.map(yield* ownWorker, (note): Asked => {
    return { admin: note.admin, token: Option.getOrElse(token, () => note.token), isNamed: false }
  })
})

const otherUsers = (dataDir: string) =>
  new VerbError({
    message:
      `The worker on ${dataDir} (SITELEDGER_DATA_DIR) belongs to another user: ask as that user, or as ` +
      "a principal (SITELEDGER_WORKER_URL, SITELEDGER_TOKEN)."
  })

const listenerOf = ({ admin, token }: Pick<Asked, "admin" | "token">) =>
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.mapRequest(flow(HttpClientRequest.prependUrl(admin), HttpClientRequest.bearerToken(token)))
  )

type AskError = VerbError | HttpClientError.HttpClientError | Schema.SchemaError

/** The worker is gone. */
export class Unanswered extends Schema.TaggedError<Unanswered>()("Unanswered", { message: Schema.String }) {}

/** Nothing listens: a killed worker left its note behind. */
const notThere = new Unanswered({ message: "The worker isn't running any more." })

/** It may have accepted the request and carried it out. */
const brokeOff = new Unanswered({
  message: "The worker ended before it answered: check whether this was done before you ask again."
})

const unanswered = ({ reason, response }: HttpClientError.HttpClientError) => {
  if (response !== undefined) return response.status === 408 ? tooBusy : unexpected(response.status)
  return "cause" in reason && codeOf(reason.cause) === "ECONNREFUSED" ? notThere : brokeOff
}

const isNotThere = (error: unknown): error is Unanswered => error === notThere

/** A verb may work for an hour before it answers. */
const answered = <A, R>(asked: Effect.Effect<A, AskError, R>) =>
  asked.pipe(
    Effect.catchTags({
      HttpClientError: (error) => unanswered(error),
      SchemaError: () => unreadable
    }),
    Effect.provide(layerPatient)
  )

/** It hasn't read the whole request within minutes. */
const tooBusy = new VerbError({ message: "The worker, or its machine, is too busy to take this: ask again later." })

const unexpected = (status: number) => new VerbError({ message: `The worker answered with status ${status}.` })

const unreadable = new VerbError({
  message: "The worker's answer can't be read: it runs another version of siteledger."
})

/** What to do when the worker is gone. */
export const instead =
  <A, E, R>({ admin, isNamed }: Asked, here: Effect.Effect<A, E, R>) =>
  (): Effect.Effect<A, E | VerbError, R> =>
    isNamed ? Effect.fail(new VerbError({ message: `No worker answers at ${admin} (SITELEDGER_WORKER_URL).` })) : here

/** The running worker's status. */
export const report = (note: Pick<Asked, "admin" | "token">) =>
  answered(
    Effect.gen(function* () {
      const httpClient = yield* listenerOf(note)
      const status = yield* HttpApiClient.endpoint(AdminApi, { group: "worker", endpoint: "status", httpClient })
      return yield* status()
    })
  )

type VerbClient = {
  readonly [Name in VerbName]: (request: { readonly payload: Payload<Name> }) => Effect.Effect<Answer<Name>, AskError>
}

/** Fails with `Unanswered` if it is gone. */
export const throughWorker = <Name extends VerbName>(note: Asked, verb: Name, payload: Payload<Name>) =>
  answered(
    Effect.gen(function* () {
      const client: VerbClient = yield* HttpApiClient.group(AdminApi, {
        group: "verbs",
        httpClient: yield* listenerOf(note)
      })
      return yield* client[verb]({ payload })
    })
  )

/** `alone`: the layers that the verb needs if no worker is running; `afterwards` then runs after it. */
export const ask = <Name extends VerbName, E, R>(
  verb: Name,
  payload: Payload<Name>,
  alone: Layer.Layer<Needs<Name>, E, R>,
  afterwards: Effect.Effect<void> = Effect.void
) =>
  Effect.gen(function* () {
    const { dataDir } = yield* Settings
    const name = verb.replaceAll("-", " ")
    const here = carryOut(verb, payload, yield* ownUser).pipe(
      Bar.shown(name, underWay),
      Effect.provide(alone),
      Effect.tap(afterwards),
      Effect.provide(Lock.layerAt(dataDir))
    )
    const note = yield* running
    if (Option.isNone(note)) return yield* here
    const asked = throughWorker(note.value, verb, payload)
    const there = Bar.shown(
      name,
      Effect.map(report(note.value), ({ tasks }) => tasks)
    )(neededFor(verb) === "read" ? asked : Interrupted.goesOn(name)(asked))
    return yield* Effect.catchIf(there, isNotThere, instead(note.value, here))
  })

/** Requests the journal, a part at a time. */
export interface Journal<E> {
  readonly days: (payload: Payload<"ledger-days">) => Effect.Effect<Answer<"ledger-days">, E>
  readonly entries: (payload: Payload<"ledger-entries">) => Effect.Effect<Answer<"ledger-entries">, E>
}

type JournalNeeds = Needs<"ledger-days" | "ledger-entries">

/**
 * Like `ask`, with the Store opened once for all requests. `read` is started again if it turns out that there is no
 * worker.
 */
export const askForJournal = <A, E, R>(
  alone: Layer.Layer<JournalNeeds, E, R>,
  read: <E>(journal: Journal<E>) => Effect.Effect<A, E | LedgerError>
) =>
  Effect.gen(function* () {
    const { dataDir } = yield* Settings
    const user = yield* ownUser
    const here = Effect.flatMap(Effect.context<JournalNeeds>(), (services) =>
      read({
        days: (payload) => Effect.provideContext(carryOut("ledger-days", payload, user), services),
        entries: (payload) => Effect.provideContext(carryOut("ledger-entries", payload, user), services)
      })
    ).pipe(Effect.provide(alone), Effect.provide(Lock.layerAt(dataDir)))
    const note = yield* running
    if (Option.isNone(note)) return yield* here
    const { value } = note
    const through = read({
      days: (payload) => throughWorker(value, "ledger-days", payload),
      entries: (payload) => throughWorker(value, "ledger-entries", payload)
    })
    return yield* Effect.catchTag(through, "Unanswered", instead(value, here))
  })
