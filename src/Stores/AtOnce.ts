/**
 * Work for several members of a kind, such as connections. Each member does one thing at a time; the members work
 * concurrently.
 */
interface Member<A> {
  readonly itself: A
  /** How much it hasn't finished. */
  count: number
  last: Promise<unknown>
}

export class AtOnce<A> {
  readonly #members: ReadonlyArray<Member<A>>

  constructor(members: Iterable<A>) {
    this.#members = [...members].map((itself) => ({ itself, count: 0, last: Promise.resolve() }))
  }

  /** Given to the member with the least work. */
  run<B>(use: (member: A) => Promise<B>): Promise<B> {
    const least = this.#members.reduce((a, b) => (b.count < a.count ? b : a))
    least.count++
    const done = least.last.then(() => use(least.itself)).finally(() => least.count--)
    least.last = done.catch(() => undefined)
    return done
  }

  /** Resolves once everything has ended, successfully or not. */
  async ended(): Promise<void> {
    await Promise.all(this.#members.map(({ last }) => last))
  }
}
