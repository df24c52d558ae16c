/**
 * HalfSipHash-2-4 with 64 bits (Aumasson and Bernstein): short texts as numbers, under a key that is drawn for each
 * run. An attacker who plants a text doesn't know the key, so can't search for a text with the same number as another.
 * In JavaScript, because a call to Node's own hashes takes longer for such texts. Pure.
 */
import { randomFillSync } from "node:crypto"

export type Key = Readonly<Uint32Array>

export const newKey = (): Key => randomFillSync(new Uint32Array(2))

const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) : 0)

export class KeyedHash {
  readonly #first: number
  readonly #second: number
  /** Four words, and the number of bytes added. As separate fields, each change of one allocated an object. */
  readonly #state = new Int32Array(5)
  /** A copy of the state while a number is computed from it. */
  readonly #kept = new Int32Array(5)

  constructor([first = 0, second = 0]: Key) {
    this.#first = first
    this.#second = second
    this.begin()
  }

  begin(): void {
    const state = this.#state
    state[0] = this.#first
    state[1] = this.#second ^ 0xee
    state[2] = this.#first ^ 0x6c796765
    state[3] = this.#second ^ 0x74656462
    state[4] = 0
  }

  /** Adds a text: its length, then four characters at a time, or two if one of them takes more than a byte. */
  add(text: string): void {
    if (!this.#absorb(text.length, text, 4)) this.#absorb(~text.length, text, 2)
  }

  /** 32 bits. */
  addWord(word: number): void {
    this.#absorb(word, "", 4)
  }

  /**
   * Adds a word and then a text, with this many characters per word; returns false, with nothing done, if a character
   * doesn't fit.
   */
  #absorb(first: number, text: string, inWord: 2 | 4): boolean {
    const state = this.#state
    let a = state[0]!
    let b = state[1]!
    let c = state[2]!
    let d = state[3]!
    let word = first
    let seen = 0
    for (let at = 0; ;) {
      d ^= word
      // Two rounds. With local variables instead of fields, this takes half the time.
      for (let round = 0; round < 2; round++) {
        a = (a + b) | 0
        b = rotated(b, 5) ^ a
        a = rotated(a, 16)
        c = (c + d) | 0
        d = rotated(d, 8) ^ c
        a = (a + d) | 0
        d = rotated(d, 7) ^ a
        c = (c + b) | 0
        b = rotated(b, 13) ^ c
        c = rotated(c, 16)
      }
      a ^= word
      if (at >= text.length) break
      const one = text.charCodeAt(at)
      const two = codeAt(text, at + 1)
      if (inWord === 2) word = one | (two << 16)
      else {
        const three = codeAt(text, at + 2)
        const four = codeAt(text, at + 3)
        seen |= one | two | three | four
        word = one | (two << 8) | (three << 16) | (four << 24)
      }
      at += inWord
    }
    if (seen > 0xff) return false
    state[0] = a
    state[1] = b
    state[2] = c
    state[3] = d
    state[4]! += 4 * (1 + Math.ceil(text.length / inWord))
    return true
  }

  /** 52 bits of the hash of what has been added so far; more may be added afterwards. */
  get number(): number {
    const { high, low } = this.halves
    return high * 2 ** 20 + (low >>> 12)
  }

  /** As 32 bits each. */
  get halves(): { readonly high: number; readonly low: number } {
    const state = this.#state
    this.#kept.set(state)
    this.addWord(state[4]! << 24)
    state[2]! ^= 0xee
    this.#mixTwice()
    const high = (state[1]! ^ state[3]!) >>> 0
    state[1]! ^= 0xdd
    this.#mixTwice()
    const low = (state[1]! ^ state[3]!) >>> 0
    state.set(this.#kept)
    return { high, low }
  }

  /** Four rounds: those of two zero words. */
  #mixTwice(): void {
    this.addWord(0)
    this.addWord(0)
  }
}

const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))
