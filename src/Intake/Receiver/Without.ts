/**
 * A delivery on its way to the disk, without what was erased: it keeps the hash of what came, so the same delivery is known
 * when it comes again. Where nothing is erased, nothing is looked at.
 */
import * as Erasure from "../../Domain/Erasure.ts"
import type { Erasing } from "./Messages.ts"

interface Left {
  readonly body: Uint8Array
  /** Names and values. */
  readonly headers: ReadonlyArray<string>
}

export type Without = (body: Uint8Array, headers: ReadonlyArray<string>) => Left

export const without = (erasing: Erasing | undefined, mostBytes: number): Without => {
  const redact = Erasure.redactor(erasing?.all ?? [])
  if (redact === undefined) return (body, headers) => ({ body, headers })
  const isKept = Erasure.keptAt(erasing?.inBodies ?? [])
  return (body, headers) => ({
    body: Erasure.redactBody(body, mostBytes, redact, isKept) ?? body,
    headers: Erasure.redactPairs(headers, redact)
  })
}
