/**
 * Room for the bodies that are being read. Each counts by the bytes that have arrived, until its request is answered.
 *
 * A small body always has room. A larger one needs one of a few places; if none is free, it waits unread and isn't
 * refused. When there is no room, unfinished bodies of strangers are dropped first, then those on connections that
 * never carried a verified delivery. While others wait, a body that hardly arrives loses its place, and a body that
 * falls behind the lowest rate is always cut off. Nothing here is stored.
 */

export interface BodyLimits {
  /** The bytes of all bodies that were read and not yet answered. Half of it is for bodies that aren't small. */
  readonly inFlightBytes: number
  readonly smallBytes: number
  /** A body may fall behind this rate by the bytes that it brings in `behindMs`. */
  readonly bytesPerSecond: number
  readonly behindMs: number
  /** The rate while others wait for its place. */
  readonly crowdedBytesPerSecond: number
  readonly tickMs: number
}

/** No delivery of this sender has verified; or one has; or one has on this very connection. Worst first. */
const standings = ["stranger", "known", "proven"] as const
export type Standing = (typeof standings)[number]

interface Source {
  readonly standing: () => Standing
  readonly pause: () => void
  readonly resume: () => void
  /** Refuses the request and closes it. 408: too slow. 503: no room, so that a genuine sender retries. */
  readonly drop: (status: 408 | 503) => void
}

export class Body {
  readonly source: Source
  bytes = 0
  state: "arriving" | "waiting" | "whole" = "arriving"
  hasPlace = false
  /** How many bytes it is behind the lowest rate. */
  behind = 0
  /** Undefined from when it began or got its place until the next tick. */
  bytesAtTick: number | undefined
  /** Slow ticks in a row. */
  slow = 0

  constructor(source: Source) {
    this.source = source
  }
}

const rank = ({ source }: Body): number => standings.indexOf(source.standing())

/** A single slow tick may be our own fault: while the event loop is blocked, nothing is read. */
const isStuck = ({ slow }: Body): boolean => slow > 1

export class Bodies implements Disposable {
  readonly #limits: BodyLimits
  readonly #most: number
  readonly #all = new Set<Body>()
  /** Runs only while there is a body: waking up four times a second was most of what an idle receiver cost. */
  #timer: NodeJS.Timeout | undefined
  #bytes = 0
  #freePlaces: number
  #waiting = 0

  constructor(limits: BodyLimits, maximumBytes: number) {
    this.#limits = limits
    this.#most = Math.max(limits.inFlightBytes, 2 * maximumBytes)
    this.#freePlaces = Math.floor(this.#most / 2 / maximumBytes)
  }

  open(source: Source): Body {
    const body = new Body(source)
    this.#all.add(body)
    this.#timer ??= setInterval(() => this.#tick(), this.#limits.tickMs).unref()
    return body
  }

  /** More of the body has arrived. It may be paused now, or dropped. */
  received(body: Body, bytes: number): void {
    body.bytes += bytes
    this.#bytes += bytes
    if (body.bytes > this.#limits.smallBytes && !body.hasPlace && body.state === "arriving") this.#wait(body)
    while (this.#bytes > this.#most && this.#all.has(body)) this.#drop(this.#yielding(() => true) ?? body, 503)
  }

  /** The whole body has arrived. From now on, only its own request drops it. */
  whole(body: Body): void {
    if (body.state === "waiting") this.#waiting--
    body.state = "whole"
  }

  /** Its request was answered or has ended. */
  close(body: Body): void {
    if (!this.#all.delete(body)) return
    this.#bytes -= body.bytes
    if (body.state === "waiting") this.#waiting--
    if (!body.hasPlace) return
    this.#freePlaces++
    this.#seat()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #wait(body: Body): void {
    body.state = "waiting"
    this.#waiting++
    body.source.pause()
    this.#seat()
  }

  /** Gives places to waiting bodies: the best standing first, then the newest, because the oldest may be stuck. */
  #seat(): void {
    while (this.#waiting > 0) {
      const next = [...this.#all]
        .filter(({ state }) => state === "waiting")
        .reduce((a, b) => (rank(b) >= rank(a) ? b : a))
      if (this.#freePlaces === 0) {
        const yielding = this.#yielding(
          (holder) => holder.hasPlace && (rank(holder) < rank(next) || (rank(holder) === rank(next) && isStuck(holder)))
        )
        // Dropping it frees its place for the next one.
        return yielding && this.#drop(yielding, 503)
      }
      this.#waiting--
      this.#freePlaces--
      Object.assign(next, { state: "arriving", hasPlace: true, bytesAtTick: undefined, slow: 0 })
      next.source.resume()
    }
  }

  /** The unfinished body with the worst standing among these: first those that don't move, then the oldest. */
  #yielding(isOfThese: (body: Body) => boolean): Body | undefined {
    let yielding: Body | undefined
    let worst = Number.POSITIVE_INFINITY
    for (const body of this.#all) {
      if (body.state === "whole" || !isOfThese(body)) continue
      const worth = 2 * rank(body) + (body.hasPlace && !isStuck(body) ? 1 : 0)
      if (worth < worst) [yielding, worst] = [body, worth]
    }
    return yielding
  }

  #drop(body: Body, status: 408 | 503): void {
    this.close(body)
    body.source.drop(status)
  }

  #tick(): void {
    // Under a steady stream there is always a body, so the timer isn't created for each one.
    if (this.#all.size === 0) return this[Symbol.dispose]()
    const { behindMs, bytesPerSecond, crowdedBytesPerSecond } = this.#limits
    for (const body of this.#all) {
      if (body.state !== "arriving") continue
      const before = body.bytesAtTick
      body.bytesAtTick = body.bytes
      if (before === undefined) continue
      const gained = body.bytes - before
      body.slow = gained < this.#perTick(crowdedBytesPerSecond) ? body.slow + 1 : 0
      body.behind = Math.max(0, body.behind + this.#perTick(bytesPerSecond) - gained)
      if (body.behind > (bytesPerSecond * behindMs) / 1000) this.#drop(body, 408)
    }
    this.#seat()
  }

  #perTick(bytesPerSecond: number): number {
    return (bytesPerSecond * this.#limits.tickMs) / 1000
  }
}
