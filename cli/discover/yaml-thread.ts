/**
 * Parses YAML for `siteledger discover` in a separate thread: a hostile document may take hours or all memory, and a
 * thread can be terminated.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Result } from "effect"
import { Yaml } from "effect/encoding"

const read = Result.try({
  try: () => Yaml.parse(workerData as string),
  catch: (cause) => (cause instanceof SyntaxError ? cause.message : "it is nested too deeply")
})

parentPort?.postMessage(Result.isSuccess(read) ? { value: read.success } : { problem: read.failure }, [])
