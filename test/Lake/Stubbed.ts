/** The S3 stub of a test file: opened for it, as it is at first before each of its tests, and closed at its end. */
import { afterAll, beforeEach } from "@effect/vitest"
import { S3Stub } from "../S3Stub.ts"

export const stub = await S3Stub.open()
Object.assign(process.env, stub.environment)

beforeEach(() => {
  stub.reset()
  stub.skewMillis = 0
  stub.conditional = "yes"
})
afterAll(() => stub.close())
