/** The S3 stub of a test file: opened for it, reset before each of its tests, and closed at its end. */
import { afterAll, beforeEach } from "@effect/vitest"
import { Effect } from "effect"
import { S3Stub } from "../../trust/S3Stub.ts"

/** Its address and credentials are in this file's environment. */
export const stubbed = async (): Promise<S3Stub> => {
  const stub = await S3Stub.open()
  Object.assign(process.env, stub.environment)
  beforeEach(() => {
    stub.reset()
    stub.skewMillis = 0
    stub.conditional = "yes"
  })
  afterAll(() => stub.close())
  return stub
}

/** Sets variables while the effect runs; undefined removes one. */
export const withVariables = <A, E, R>(
  variables: Record<string, string | undefined>,
  effect: Effect.Effect<A, E, R>
) => {
  const set = (values: Record<string, string | undefined>) =>
    Effect.sync(() => {
      for (const [name, value] of Object.entries(values)) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    })
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]))
  return Effect.ensuring(Effect.andThen(set(variables), effect), set(before))
}
