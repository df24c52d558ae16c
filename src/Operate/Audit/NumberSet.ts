/**
 * A set of numbers from 0 to 2^52 for millions of claims: sixteen to thirty-two bytes each. Each number lies in the
 * first free place from the one that its last bits name, so it should be a hash. Sorting them and searching by
 * bisection took four times as long. Pure.
 */
const smallest = 1024
const free = -1

export class NumberSet {
  /** At most half full. */
  #places: Float64Array
  #count = 0

  constructor(numbers: ArrayLike<number> = []) {
    this.#places = new Float64Array(placesFor(numbers.length)).fill(free)
    for (let at = 0; at < numbers.length; at++) this.add(numbers[at]!)
  }

  add(number: number): void {
    const place = this.#placeOf(number)
    if (this.#places[place] === number) return
    this.#places[place] = number
    if (++this.#count * 2 > this.#places.length) this.#grow()
  }

  has(number: number): boolean {
    return this.#places[this.#placeOf(number)] === number
  }

  /** Where the number is, or would be. */
  #placeOf(number: number): number {
    const places = this.#places
    const last = places.length - 1
    let place = (number | 0) & last
    while (places[place] !== free && places[place] !== number) place = (place + 1) & last
    return place
  }

  #grow(): void {
    const before = this.#places
    this.#places = new Float64Array(before.length * 2).fill(free)
    for (const number of before) if (number !== free) this.#places[this.#placeOf(number)] = number
  }
}

/** A power of two. */
const placesFor = (count: number): number => {
  let places = smallest
  while (places < count * 2) places *= 2
  return places
}
