/**
 * What the seed decides about the catalogue: which of several usual spellings each part of the document has. A choice
 * depends only on the seed and on its subject, never on other choices, so a new line in a table changes no other.
 */
import * as Seed from "../Seed.ts"

/** FNV-1a, 32 bits. */
export const textHash = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

export interface Spelling {
  readonly chance: (about: string, share: number) => boolean
  readonly chosen: <A>(about: string, choices: readonly [A, ...ReadonlyArray<A>]) => A
}

export const make = (seed: number): Spelling => {
  const share = (about: string) => Seed.share(seed, Seed.Purpose.spelling, textHash(about))
  return {
    chance: (about, least) => share(about) < least,
    chosen: (about, choices) => choices[Math.floor(share(about) * choices.length)] ?? choices[0]
  }
}
