/**
 * Those that wait for a turn in one lane. Lists take turns by their shares; waiters without a list, and the requests
 * within one list, go in order of arrival. The list that the interface document shows gets every second turn, because
 * all others wait for it anyway.
 */
import { Context, type Deferred } from "effect"
import { shared } from "./Shares.ts"

/** A list whose requests wait. */
export interface Sharing {
  readonly name: string
  /** It gets every second turn. */
  readonly isFirst: boolean
  /**
   * Requests per second that it needs to be in time, at a time of the monotonic clock; infinite if that isn't known, or
   * if it is late.
   */
  readonly need: (nowMs: number) => number
}

/** The list for which the requests of a fiber are made. */
export const Sharer = Context.Reference<Sharing>("siteledger/Sharer", {
  defaultValue: () => ({ name: "", isFirst: false, need: () => Number.POSITIVE_INFINITY })
})

export interface Waiter {
  /** The name of its list. */
  readonly of: string
  readonly turn: Deferred.Deferred<void>
}

interface Line {
  sharing: Sharing
  readonly waiters: Set<Waiter>
  /** What it has been given, divided by its share. The list with the least is next. */
  had: number
  share: number
  /** When its share was computed, and when it last waited. */
  sharedMs: number
  lastMs: number
}

/** Shares are recomputed after this time. */
const sharesLastMs = 1_000
/** A list that waits for an answer will soon wait for a turn again. */
const awayMs = 2_000

export class Waiters {
  readonly #perSecond: number
  readonly #lines = new Map<string, Line>()
  #size = 0
  #had = 0
  #sharedMs = Number.NEGATIVE_INFINITY
  #wasFirst = false

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  get size(): number {
    return this.#size
  }

  /** How many lists wait. */
  get lists(): number {
    return [...this.#lines.values()].filter(({ waiters }) => waiters.size > 0).length
  }

  add(waiter: Waiter, sharing: Sharing, nowMs: number): void {
    const line = this.#lines.get(sharing.name) ?? this.#begun(sharing)
    line.sharing = sharing
    line.lastMs = nowMs
    // It gets no compensation for turns that it didn't want while it was away.
    if (line.waiters.size === 0) line.had = Math.max(line.had, this.#had)
    if (nowMs - line.sharedMs >= sharesLastMs) this.#sharedMs = Number.NEGATIVE_INFINITY
    line.waiters.add(waiter)
    this.#size++
  }

  delete(waiter: Waiter): void {
    if (this.#lines.get(waiter.of)?.waiters.delete(waiter) === true) this.#size--
  }

  /**
   * The waiter whose turn it is. `again`: prefers that list as long as it waits; what it gets ahead of others counts
   * against it.
   */
  take(nowMs: number, again?: string): Waiter | undefined {
    const more = again === undefined ? undefined : this.#lines.get(again)
    const line = more !== undefined && more.waiters.size > 0 ? more : this.#next()
    const [waiter] = line?.waiters ?? []
    if (line === undefined || waiter === undefined) return undefined
    if (nowMs - this.#sharedMs >= sharesLastMs) this.#share(nowMs)
    line.waiters.delete(waiter)
    this.#size--
    line.lastMs = nowMs
    this.#wasFirst = line.sharing.isFirst
    if (this.#wasFirst) return waiter
    if (line !== more) this.#had = line.had
    line.had += 1 / line.share
    return waiter
  }

  #next(): Line | undefined {
    const waiting = [...this.#lines.values()].filter(({ waiters }) => waiters.size > 0)
    const first = waiting.find(({ sharing }) => sharing.isFirst)
    const others = waiting.filter(({ sharing }) => !sharing.isFirst)
    if (first !== undefined && (others.length === 0 || !this.#wasFirst)) return first
    return others.length === 0 ? first : others.reduce((least, line) => (line.had < least.had ? line : least))
  }

  #share(nowMs: number): void {
    this.#sharedMs = nowMs
    const here = [...this.#lines.values()].filter(
      ({ lastMs, sharing, waiters }) => !sharing.isFirst && (waiters.size > 0 || nowMs - lastMs < awayMs)
    )
    const needs = new Map(here.map(({ sharing }) => [sharing.name, sharing.need(nowMs)]))
    const shares = shared(needs, this.#perSecond)
    // A list that is away may need nothing for now, and something else once it is back.
    for (const line of here) {
      if (line.waiters.size === 0) continue
      line.share = shares.get(line.sharing.name) ?? line.share
      line.sharedMs = nowMs
      // It may have needed less when it was last served.
      line.had = Math.min(line.had, this.#had + 1 / line.share)
    }
  }

  #begun(sharing: Sharing): Line {
    const never = Number.NEGATIVE_INFINITY
    const line: Line = { sharing, waiters: new Set(), had: this.#had, share: 1, sharedMs: never, lastMs: never }
    this.#lines.set(sharing.name, line)
    return line
  }
}
