/**
 * A delivery on its way to the disk, without what was erased. It keeps the hash of the original bytes, so the same
 * delivery is recognised when it comes again. If nothing is erased, nothing is searched.
 */
import * as Erasure from "../../Domain/Erasure.ts"
import type { Erasing } from "./Messages.ts"

interface Left {
  readonly body: Uint8Array
  /** Names and values. */
  readonly headers: ReadonlyArray<string>
}

export type Without = (body: Uint8Array, headers: ReadonlyArray<string>) => Left

/** What a connector exports as `bodies`, in a module without Effect: how bodies are read. */
type Bodies = (given: unknown) => Erasure.Read

export const without = async (erasing: Erasing | undefined, mostBytes: number): Promise<Without> => {
  const redact = Erasure.redactor(erasing?.all ?? [])
  if (erasing === undefined || redact === undefined) return (body, headers) => ({ body, headers })
  const { bodies } = (await import(erasing.module)) as { readonly bodies: Bodies }
  const read = bodies(erasing.given)
  return (body, headers) => ({
    body: Erasure.redactBody(body, mostBytes, redact, read) ?? body,
    headers: Erasure.redactPairs(headers, redact)
  })
}
