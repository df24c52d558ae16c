/**
 * How long a call may wait, and what its failure says. A failure of the parts below becomes a ServiceError with the
 * service's last answer.
 */
import { Context, Deferred, Duration, Effect } from "effect"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { SourceError } from "../../../src/Walk/Source.ts"
import { type Last, LastAnswer } from "./LastAnswer.ts"
import type { Period } from "./Options.ts"
import { ServiceError } from "./ServiceError.ts"

/** A failure that ConstructionClient passes on unchanged, without another try. */
export class Final extends SourceError {
  readonly error: ServiceError
  constructor(error: ServiceError) {
    super({ reason: "Refused", message: error.message })
    this.error = error
  }
}

/** Limits a call's waiting time and turns its failure into a message for the caller. */
export type Limited = <A>(call: Effect.Effect<A, SourceError | ServiceError>) => Effect.Effect<A, ServiceError>

const defaultPatience = Duration.minutes(5)

/** For one client, which is closed with its scope. */
export const make = Effect.fnUntraced(function* (reasons: Reasons["Service"], giveUpAfter: Period | undefined) {
  const patience = giveUpAfter ?? defaultPatience
  // Without its pace, a call would wait forever.
  const closed = yield* Deferred.make<void>()
  yield* Effect.addFinalizer(() => Deferred.succeed(closed, undefined))
  const afterTheEnd = Deferred.await(closed).pipe(
    Effect.andThen(Effect.suspend(() => Effect.fail(new ServiceError("Closed", "The client is closed."))))
  )
  const limited: Limited = (call) =>
    Effect.suspend(() => {
      const last: Last = { answer: {} }
      const untilGivenUp = call.pipe(
        Effect.mapError((error) => inWords(error, last)),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () =>
            Effect.flatMap(reasons.wrong, (sentences) => Effect.fail(unavailable(patience, sentences, last)))
        })
      )
      return Effect.provideContext(Effect.raceFirst(afterTheEnd, untilGivenUp), Context.make(LastAnswer, last))
    })
  return limited
})

const inWords = (error: SourceError | ServiceError, { answer }: Last): ServiceError => {
  if (error instanceof Final) return inWords(error.error, { answer })
  if (error instanceof ServiceError) {
    return new ServiceError(error.reason, said(error.message, answer), {
      ...answer,
      cause: error.cause ?? answer.cause
    })
  }
  return new ServiceError("Refused", said(error.message, answer), answer)
}

const said = (message: string, { serviceMessage }: Last["answer"]): string =>
  serviceMessage === undefined ? message : `${message} The service's words: "${serviceMessage}".`

const unavailable = (patience: Duration.Input, sentences: ReadonlyArray<string>, { answer }: Last) => {
  const givenUp = `Given up after ${Duration.format(Duration.fromInputUnsafe(patience))}.`
  return new ServiceError("Unavailable", said([givenUp, ...sentences].join(" "), answer), answer)
}
