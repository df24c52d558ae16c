/**
 * Compares the ledger's facts with the signed bodies in the inbox. Each fact from an event must be what a body says,
 * and the books must know every certificate and payment that an applied body reports. Bodies are read as they were when
 * their facts were recorded.
 *
 * It takes some forty bytes of memory for each event and fact, so a million events take less than a hundred megabytes.
 * What arrives meanwhile is left to the next audit.
 */
import { Clock, Effect } from "effect"
import { type Event, EventReader, type Naming } from "../../Domain/Event.ts"
import { heard, read, type ReadEvent } from "../../Intake/Apply/Readings.ts"
import * as Agreed from "../../Ledger/Agreed.ts"
import type { NewFact } from "../../Ledger/Books.ts"
import { factsOf } from "../../Ledger/EventFacts.ts"
import { rulesOf } from "../../Ledger/Fold/Rules.ts"
import { track } from "../../Runtime/Progress.ts"
import { type Deliveries, Store, type StoreError } from "../../Stores/Store.ts"
import { Claims, type Numbers, withoutAmount } from "./Claims.ts"
import type { Key } from "./KeyedHash.ts"
import type { Before } from "./Taking.ts"
import { NumberSet } from "./NumberSet.ts"
import type { Taken } from "./Taken.ts"

export interface Signed extends Pick<Taken, "verified"> {
  readonly bodies: number
  /** In words. */
  readonly differences: ReadonlyArray<string>
}

/** What the books say is awaited in parallel. */
type Audited<R> = Before & { readonly taken: Effect.Effect<Taken, StoreError, R> }

/** Bodies are read while the books are verified. `most`: the most differences. */
export const signed = Effect.fnUntraced(function* <R>(audited: Audited<R>, most: number) {
  const store = yield* Store
  const { key, quarantined, settled, taken } = audited
  const readAll = yield* readings(namingsOf(yield* store.run(Agreed.agreed)), key)
  const claims = new NumberSet()
  const told: Array<number> = []
  const at: At = { bodies: 0, through: 0 }

  const look = (event: Event, all: ReadonlyArray<ReadonlyArray<Claimed>>): void => {
    for (const reading of all) for (const { claim } of reading) claims.add(claim)
    if (event.sequence > settled || quarantined.has(event.sequence)) return
    const money = all.map((reading) => reading.flatMap((each) => each.money ?? []))
    // Read by some names, it may say more than by those of its time.
    if (money.some((numbers) => numbers.length === 0)) return
    for (const numbers of money) told.push(-event.sequence, ...numbers)
  }
  const lookAt = (event: Event): Promise<void> | undefined => {
    const read = readAll(event)
    if (read instanceof Promise) return read.then((all) => look(event, all))
    look(event, read)
    return undefined
  }
  const reading = readOn(store.deliveries, at, lookAt)
  const [{ said, verified }] = yield* Effect.all([taken, reading], { concurrency: 2 })
  // Bodies that arrived meanwhile, and may have left facts.
  yield* reading
  const unsaid = () => said.numbers.filter((_, index) => !claims.has(said.claims[index]!)).toSorted()
  let ofNobody = unsaid()
  if (ofNobody.length > 0) {
    // On a server, a delivery may be stored after others with higher numbers.
    told.length = 0
    Object.assign(at, { bodies: 0, through: 0 })
    yield* reading
    ofNobody = unsaid()
  }

  const money = new NumberSet(said.money)
  const differences: Array<string> = []
  for (let left = unknownOf(told, money).slice(0, most); left.length > 0;) {
    const events = yield* store.deliveries.read(left)
    for (const event of events) {
      const [first] = yield* Effect.promise(async () => readAll(event))
      differences.push(unknown(event, first!.find((each) => each.money !== undefined && !money.has(each.money))!.fact))
    }
    const last = events.at(-1)?.sequence ?? Number.POSITIVE_INFINITY
    left = left.filter((sequence) => sequence > last)
  }
  differences.push(...Array.from(ofNobody.subarray(0, most), unsigned))
  return { verified, bodies: at.bodies, differences: differences.slice(0, most) } satisfies Signed
})

interface At {
  bodies: number
  through: number
}

/** Continues where it was, and reports its progress. */
const readOn = (deliveries: Deliveries, at: At, look: (event: Event) => Promise<void> | undefined) =>
  Effect.flatMap(deliveries.last, (total) =>
    track("ledger verify", { unit: "deliveries", total }, (reached) =>
      Effect.gen(function* () {
        for (let hasMore = true; hasMore;) {
          const page = yield* deliveries.stored(at.through)
          for (const event of page.events) {
            const looked = look(event)
            if (looked !== undefined) yield* Effect.promise(() => looked)
          }
          at.bodies += page.events.length
          at.through = page.through
          hasMore = page.hasMore
          reached(at.through)
          yield* Effect.yieldNow
        }
      })
    )
  )

interface Claimed extends Pick<Numbers, "claim" | "money"> {
  readonly fact: NewFact
}

type Readings = ReadonlyArray<ReadonlyArray<Claimed>>

/** What a body says, under each of the namings. */
const readings = Effect.fnUntraced(function* (namings: ReadonlyArray<As>, key: Key) {
  const numbering = new Claims(key)
  const reader = yield* EventReader
  const nowMicros = (yield* Clock.currentTimeMillis) * 1000
  const claimed = (read: ReadEvent, { arePaidAmountsKept }: As): ReadonlyArray<Claimed> =>
    heard(read)
      .flatMap(factsOf)
      .map((each) => {
        const fact = arePaidAmountsKept ? each : withoutAmount(each)
        const numbers = numbering.of(fact, arePaidAmountsKept)
        return { fact, claim: numbers?.claim ?? 0, money: numbers?.money }
      })
  const all = (reads: ReadonlyArray<ReadEvent>): Readings => reads.map((each, n) => claimed(each, namings[n]!))
  return (event: Event): Readings | Promise<Readings> => {
    const reads = namings.map(({ naming }) => read(event, reader, nowMicros, naming))
    // Most bodies are read synchronously.
    return reads.every(isRead) ? all(reads) : Promise.all(reads).then(all)
  }
})

const isRead = (reading: ReadEvent | Promise<ReadEvent>): reading is ReadEvent => !(reading instanceof Promise)

/**
 * Events for which each reading reports money that the books don't have. `told`: the negated event number, followed by
 * the numbers of each reading.
 */
const unknownOf = (told: ReadonlyArray<number>, money: NumberSet): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = 0; at < told.length;) {
    const event = told[at]!
    let isUnknown = true
    while (told[at] === event) {
      let isMissing = false
      for (at++; (told[at] ?? event) >= 0; at++) isMissing ||= !money.has(told[at]!)
      isUnknown &&= isMissing
    }
    if (isUnknown) found.push(-event)
  }
  return found
}

const unknown = ({ eventId, sequence }: Event, { ipcId, kind }: NewFact): string =>
  `IPC ${ipcId}: event ${eventId} (delivery ${sequence}) tells of a ${kind} that the books don't have.`

const unsigned = (number: number): string => `Fact ${number} isn't what any signed delivery says.`

interface As {
  /** Undefined for the current naming. */
  readonly naming: Naming | undefined
  readonly arePaidAmountsKept: boolean
}

/** How deliveries were read since the books began. */
const namingsOf = (agreed: ReadonlyArray<Agreed.Agreed>): ReadonlyArray<As> => {
  const all = agreed.map(({ terms }): As => {
    const { arePaidAmountsKept } = rulesOf(terms)
    return { naming: terms.reading ?? undefined, arePaidAmountsKept }
  })
  const now: As = { naming: undefined, arePaidAmountsKept: true }
  return all.length === 0 ? [now] : [...new Map(all.map((as) => [JSON.stringify(as), as])).values()]
}
