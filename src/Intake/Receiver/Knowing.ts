/**
 * What the receiver's thread knows: the valid secrets, the paths of earlier callback URLs, and what was refused. The
 * main thread sends all of it again whenever something has changed.
 */
import type { Known, KnownRefusal, KnownSecret } from "./Messages.ts"

/** Kept until the main thread has heard of them. */
const mostRefused = 1_000

export const hexOf = (signature: Uint8Array): string => Buffer.from(signature).toString("hex")

export class Knowing {
  readonly #nowMs: () => number
  #secrets: ReadonlyArray<KnownSecret> = []
  #nextEndMs = Number.POSITIVE_INFINITY
  #formerPaths: ReadonlySet<string> = new Set()
  #refused = new Map<string, KnownRefusal>()

  constructor(known: Known, nowMs: () => number) {
    this.#nowMs = nowMs
    this.become(known)
  }

  become({ formerPaths, refused, secrets }: Known): void {
    this.#secrets = secrets
    this.#nextEndMs = Math.min(...secrets.map(({ expiresAtMs }) => expiresAtMs))
    this.#formerPaths = new Set(formerPaths)
    this.#refused = new Map(refused.map((each) => [each.signature, each]))
  }

  /** The valid secrets, in the order in which they were added. */
  get secrets(): ReadonlyArray<KnownSecret> {
    // While no secret is retired, there is nothing to filter, so the time isn't needed.
    if (this.#nextEndMs === Number.POSITIVE_INFINITY) return this.#secrets
    const nowMs = this.#nowMs()
    // Expired secrets are kept, in case a clock that was wrongly set ahead is set back.
    return this.#secrets.filter(({ expiresAtMs }) => nowMs < expiresAtMs)
  }

  isFormerPath(path: string): boolean {
    return this.#formerPaths.has(path)
  }

  wasRefused(signature: Uint8Array): boolean {
    return this.#refused.size > 0 && this.#refused.has(hexOf(signature))
  }

  refused(signature: string, eventId: string | null): void {
    if (this.#refused.size < mostRefused) this.#refused.set(signature, { signature, eventId })
  }

  /** Whether it was refused before, under this signature or this id. From now on it no longer counts as refused. */
  came(signature: Uint8Array, eventId: string | undefined): boolean {
    if (this.#refused.size === 0) return false
    const hex = hexOf(signature)
    const isSame = (each: KnownRefusal): boolean => each.signature === hex || each.eventId === (eventId ?? "")
    const theirs = [...this.#refused.values()].filter(isSame)
    for (const each of theirs) this.#refused.delete(each.signature)
    return theirs.length > 0
  }
}
