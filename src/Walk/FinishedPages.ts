/**
 * The pages that a pass has finished. They finish nearly in order, so one number stands for all pages up to it, and
 * only those beyond it are stored: memory doesn't grow with the list.
 */
export class FinishedPages {
  #through = 0
  readonly #beyond = new Set<number>()

  get size(): number {
    return this.#through + this.#beyond.size
  }

  add(page: number): void {
    if (page > this.#through) this.#beyond.add(page)
    while (this.#beyond.delete(this.#through + 1)) this.#through++
  }

  /** The first of `total` pages that aren't finished, at most `most` of them. */
  missing(total: number, most: number): ReadonlyArray<number> {
    const pages: Array<number> = []
    for (let page = this.#through + 1; page <= total && pages.length < most; page++) {
      if (!this.#beyond.has(page)) pages.push(page)
    }
    return pages
  }
}
