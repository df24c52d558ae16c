/**
 * Work for several of a kind, such as connections. Each of them does one thing after the other; they work at once.
 */
interface Member<A> {
  readonly itself: A
  /** What it hasn't ended. */
  count: number
  last: Promise<unknown>
}

export class AtOnce<A> {
  readonly #members: ReadonlyArray<Member<A>>

  constructor(members: Iterable<A>) {
    this.#members = [...members].map((itself) => ({ itself, count: 0, last: Promise.resolve() }))
  }

  /** The one with the least to do does it. */
  run<B>(use: (member: A) => Promise<B>): Promise<B> {
    const least = this.#members.reduce((a, b) => (b.count < a.count ? b : a))
    least.count++
    const done = least.last.then(() => use(least.itself)).finally(() => least.count--)
    least.last = done.catch(() => undefined)
    return done
  }

  /** Everything has ended, well or not. */
  async ended(): Promise<void> {
    await Promise.all(this.#members.map(({ last }) => last))
  }
}
