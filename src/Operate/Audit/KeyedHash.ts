/**
 * HalfSipHash-2-4 with 64 bits (Aumasson and Bernstein): short texts as numbers, under a key that is drawn anew each time. Whoever
 * plants a text doesn't know the key, so can't look for one that has the number of another. In JavaScript, because a call of
 * Node's own hashes takes longer than this does for such texts. Pure.
 */
import { randomFillSync } from "node:crypto"

export type Key = Readonly<Uint32Array>

export const newKey = (): Key => randomFillSync(new Uint32Array(2))

const codeAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) : 0)

export class KeyedHash {
  readonly #first: number
  readonly #second: number
  #a = 0
  #b = 0
  #c = 0
  #d = 0
  #bytes = 0

  constructor([first = 0, second = 0]: Key) {
    this.#first = first
    this.#second = second
    this.begin()
  }

  begin(): void {
    this.#a = this.#first | 0
    this.#b = this.#second ^ 0xee
    this.#c = this.#first ^ 0x6c796765
    this.#d = this.#second ^ 0x74656462
    this.#bytes = 0
  }

  /** Goes on with a text: its length, then four characters at a time; two where one of them takes more than a byte. */
  add(text: string): void {
    if (!this.#absorb(text.length, text, 4)) this.#absorb(~text.length, text, 2)
  }

  /** 32 bits. */
  addWord(word: number): void {
    this.#absorb(word, "", 4)
  }

  /** A word, and then a text, so many characters in a word; false, and nothing was done, if one doesn't fit. */
  #absorb(first: number, text: string, inWord: 2 | 4): boolean {
    let [a, b, c, d] = [this.#a, this.#b, this.#c, this.#d]
    let word = first
    let seen = 0
    for (let at = 0; ;) {
      d ^= word
      // Two rounds. As long as these are no fields, it takes half the time.
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
      const [one, two] = [text.charCodeAt(at), codeAt(text, at + 1)]
      if (inWord === 2) word = one | (two << 16)
      else {
        const [three, four] = [codeAt(text, at + 2), codeAt(text, at + 3)]
        seen |= one | two | three | four
        word = one | (two << 8) | (three << 16) | (four << 24)
      }
      at += inWord
    }
    if (seen > 0xff) return false
    this.#a = a
    this.#b = b
    this.#c = c
    this.#d = d
    this.#bytes += 4 * (1 + Math.ceil(text.length / inWord))
    return true
  }

  /** 52 bits of the hash of what was added so far; more may be added afterwards. */
  get number(): number {
    const { high, low } = this.halves
    return high * 2 ** 20 + (low >>> 12)
  }

  /** As 32 bits each. */
  get halves(): { readonly high: number; readonly low: number } {
    const [a, b, c, d, bytes] = [this.#a, this.#b, this.#c, this.#d, this.#bytes]
    this.addWord(bytes << 24)
    this.#c ^= 0xee
    this.#mixTwice()
    const high = (this.#b ^ this.#d) >>> 0
    this.#b ^= 0xdd
    this.#mixTwice()
    const low = (this.#b ^ this.#d) >>> 0
    ;[this.#a, this.#b, this.#c, this.#d, this.#bytes] = [a, b, c, d, bytes]
    return { high, low }
  }

  /** Four rounds: those of two words without a bit. */
  #mixTwice(): void {
    this.addWord(0)
    this.addWord(0)
  }
}

const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))
