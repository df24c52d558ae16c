/**
 * A call as a promise or in a loop: how its caller can abort it, and how the caller's own line gets into the stack of
 * its error.
 *
 * An effect fails where its fiber runs, which knows nothing of the caller. So the stack is captured when the call is
 * made.
 */
import { Cause, Effect, Exit, Pull, Scope, Stream } from "effect"
import { ServiceError } from "./ServiceError.ts"

type Signal = AbortSignal | undefined

/** `called`: the function that the caller called; the stack starts below it. */
export const promised = <A>(
  effect: Effect.Effect<A, ServiceError>,
  signal: Signal,
  called: (...args: Array<never>) => unknown
): Promise<A> => {
  const place: { readonly stack?: string } = {}
  Error.captureStackTrace(place, called)
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const fiber = Effect.runFork(effect)
    const abort = () => {
      reject(signal?.reason)
      fiber.interruptUnsafe()
    }
    signal?.addEventListener("abort", abort, { once: true })
    fiber.addObserver((exit) => {
      signal?.removeEventListener("abort", abort)
      if (Exit.isSuccess(exit)) resolve(exit.value)
      else reject(placed(Cause.squash(exit.cause), place))
    })
  })
}

const placed = (error: unknown, { stack = "" }: { readonly stack?: string }): unknown => {
  const frames = stack.indexOf("\n    at ")
  if (error instanceof ServiceError && frames >= 0)
    error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`
  return error
}

/** Each loop reads from the start. */
export const iterable = <A extends object>(
  stream: Stream.Stream<A, ServiceError>,
  signal: Signal
): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => {
    const scope = Scope.makeUnsafe()
    const start = Effect.runSync(Effect.cached(Scope.provide(Stream.toPull(stream), scope)))
    const pull = Pull.catchDone(Effect.flatten(start), () => Effect.succeed([] as ReadonlyArray<A>)).pipe(
      Effect.tapError(() => Effect.sync(end))
    )
    let [items, at, isDone]: [ReadonlyArray<A>, number, boolean] = [[], 0, false]
    const end = (): IteratorResult<A> => {
      isDone = true
      Effect.runFork(Scope.close(scope, Exit.void))
      return { done: true, value: undefined }
    }
    const advance = (read: ReadonlyArray<A>): IteratorResult<A> => {
      ;[items, at] = [read, 0]
      const [value] = read
      return value === undefined ? end() : { done: false, value }
    }
    const next = (): Promise<IteratorResult<A>> => {
      const value = signal?.aborted === true ? undefined : items[++at]
      if (value !== undefined) return Promise.resolve({ done: false, value })
      if (isDone) return Promise.resolve({ done: true, value: undefined })
      return promised(Effect.map(pull, advance), signal, next)
    }
    return { next, return: () => Promise.resolve(end()) }
  }
})
