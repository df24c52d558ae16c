/**
 * Where a pass over a child list is: the last parent that it has begun, and a bookmark for each parent that was begun
 * and isn't finished. Parents after the last one begun are still to be read. So the text grows with the parents in
 * flight, not with all of them. Pure, except for its own state.
 *
 * Parents whose rows changed since the previous pass come first, then all others, each group in the order of their
 * keys.
 */
import { Option, Schema } from "effect"
import type { Instant } from "../Domain/Instant.ts"
import type { Asked } from "./Parents.ts"
import type { Parent } from "./Source.ts"

const Begun = Schema.Struct({
  key: Schema.String,
  values: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
  /** Undefined: the first page. */
  from: Schema.optionalKey(Schema.String),
  /** By the service's count. */
  total: Schema.Int
})
/** A parent that a pass has begun. */
export type Begun = typeof Begun.Type

const Place = Schema.Struct({
  /** Set while the parents that changed since then are being begun. */
  changedSince: Schema.optionalKey(Schema.String),
  /** The key of the last parent that was begun in this order. */
  after: Schema.optionalKey(Schema.String),
  begun: Schema.Array(Begun)
})

const PlaceText = Schema.fromJsonString(Place)

export class Bookmarks {
  #changedSince: Instant | undefined
  #after: string | undefined
  readonly #begun: Map<string, Begun>
  /** Finished, but not yet saved as such. */
  readonly #ending = new Set<string>()

  private constructor({ after, begun, changedSince }: typeof Place.Type) {
    this.#changedSince = changedSince
    this.#after = after
    this.#begun = new Map(begun.map((each) => [each.key, each]))
  }

  /** The bookmarks of a pass that begins. `changedSince`: when the previous pass began, if there was one. */
  static first(changedSince: Instant | undefined): Bookmarks {
    return new Bookmarks({ begun: [], ...(changedSince === undefined ? {} : { changedSince }) })
  }

  /** Undefined if it isn't the text of bookmarks. */
  static read(text: string): Bookmarks | undefined {
    return Option.getOrUndefined(
      Option.map(Schema.decodeUnknownOption(PlaceText)(text), (place) => new Bookmarks(place))
    )
  }

  get text(): string {
    return JSON.stringify({
      ...(this.#changedSince === undefined ? {} : { changedSince: this.#changedSince }),
      ...(this.#after === undefined ? {} : { after: this.#after }),
      begun: [...this.#begun.values()]
    })
  }

  /** Which parents come next. */
  get asked(): Asked {
    return { after: this.#after, changedSince: this.#changedSince }
  }

  get begun(): ReadonlyArray<Begun> {
    return [...this.#begun.values()]
  }

  /** The keys of parents that were begun and aren't saved as finished. */
  get underWay(): ReadonlySet<string> {
    return new Set([...this.#begun.keys(), ...this.#ending])
  }

  /** There are no more parents in this order. Returns false if it was the last order. */
  turn(): boolean {
    if (this.#changedSince === undefined) return false
    this.#changedSince = undefined
    this.#after = undefined
    return true
  }

  /** Begins parents in the order of their keys. */
  begin({ key, values }: Parent): Begun {
    const begun: Begun = { key, values, total: 0 }
    this.#after = key
    this.#begun.set(key, begun)
    return begun
  }

  /** Passes over a parent that needn't be read. */
  skip(key: string): void {
    this.#after = key
  }

  /** A page was written. The first page gives `total`. */
  advance(key: string, from: string, total: number | undefined): void {
    const begun = this.#begun.get(key)
    if (begun !== undefined) this.#begun.set(key, { ...begun, from, total: total ?? begun.total })
  }

  /** Returns the parent's total. The parent is no longer in the text, but stays under way until that is saved. */
  finish(key: string): number {
    const total = this.#begun.get(key)?.total ?? 0
    this.#begun.delete(key)
    this.#ending.add(key)
    return total
  }

  /** Everything that is finished has been saved. */
  saved(): void {
    this.#ending.clear()
  }
}
