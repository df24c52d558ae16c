/**
 * A set of numbers for millions of claims: eight bytes each. Filled first, then asked. Pure.
 */
const smallest = 1024

export class NumberSet {
  #numbers: Float64Array = new Float64Array(smallest)
  #count = 0
  #isSorted = true

  static of(numbers: Float64Array): NumberSet {
    const all = new NumberSet()
    all.#numbers = numbers
    all.#count = numbers.length
    all.#isSorted = false
    return all
  }

  add(number: number): void {
    if (this.#count === this.#numbers.length) {
      const more = new Float64Array(Math.max(smallest, this.#count * 2))
      more.set(this.#numbers)
      this.#numbers = more
    }
    this.#numbers[this.#count++] = number
    this.#isSorted = false
  }

  has(number: number): boolean {
    if (!this.#isSorted) {
      this.#numbers.subarray(0, this.#count).sort()
      this.#isSorted = true
    }
    let [low, high] = [0, this.#count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#numbers[middle]! < number) low = middle + 1
      else high = middle
    }
    return low < this.#count && this.#numbers[low] === number
  }
}
