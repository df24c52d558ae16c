/** The service's signatures, counting how often a body's was checked: in memory that the test shares with the thread. */
import { getEnvironmentData } from "node:worker_threads"
import { signing as real } from "../../../connectors/construction/ConstructionSigning.ts"
import type { Signing } from "../../../src/Intake/Receiver/Signing.ts"

export const checksKey = "checks of signatures"

/** A type that ends the thread after its delivery is answered. */
export const crash = "test.crash"

/** A type that makes the thread hang until the test stores 1 in the second number. */
export const hang = "test.hang"

export const signing: Signing = {
  ...real,
  isPing: (headers) => {
    if (headers.type === crash) throw new Error("the test ends the thread")
    if (headers.type === hang) Atomics.wait(getEnvironmentData(checksKey) as Int32Array, 1, 0)
    return real.isPing(headers)
  },
  signer: (secrets, body, signature) => {
    const checks = getEnvironmentData(checksKey)
    if (checks instanceof Int32Array) Atomics.add(checks, 0, 1)
    return real.signer(secrets, body, signature)
  }
}
