/**
 * Compares the ledger's facts with the signed bodies in the inbox: each fact from an event is what a body says, and the
 * books know every certificate and payment that an applied body tells of. Bodies are read as they were when their facts were
 * recorded.
 *
 * In memory are eight bytes for each claim, so a million events take a few tens of megabytes. What arrives meanwhile is left
 * to the next time.
 */
import { hash } from "node:crypto"
import { Clock, Effect } from "effect"
import type { Kysely } from "kysely"
import { type Event, EventReader, type Naming } from "../../Domain/Event.ts"
import { heard, read } from "../../Intake/Apply/Readings.ts"
import * as Agreed from "../../Ledger/Agreed.ts"
import type { NewFact } from "../../Ledger/Books.ts"
import { factsOf } from "../../Ledger/EventFacts.ts"
import type { Fact, PaymentFact } from "../../Ledger/Fact.ts"
import { rulesOf } from "../../Ledger/Fold/Rules.ts"
import * as Rows from "../../Ledger/Rows.ts"
import { Store } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { NumberSet } from "./NumberSet.ts"

export interface Signed {
  readonly bodies: number
  /** In words. */
  readonly differences: ReadonlyArray<string>
}

type OfEvent = NewFact | Fact

/** 52 bits: among a million claims, one in nine thousand has the number of another. */
const numberOf = (parts: ReadonlyArray<string | null>): number =>
  Number.parseInt(hash("sha256", JSON.stringify(parts), "hex").slice(0, 13), 16)

/** Undefined for what no event tells of. */
const contentOf = (fact: OfEvent): ReadonlyArray<string | null> | undefined => {
  switch (fact.kind) {
    case "certificate":
      return [fact.kind, fact.ipcId, fact.at, String(fact.units), fact.url]
    case "payment":
      return [fact.kind, fact.ipcId, fact.at, fact.reference, ...paidOf(fact)]
    case "project":
      // Before version 2 of the rules it had no version.
      return [fact.kind, fact.ipcId, fact.projectId]
    default:
      return undefined
  }
}

const paidOf = ({ units }: Pick<PaymentFact, "units">): ReadonlyArray<string> =>
  units === undefined ? [] : [String(units)]

/** Who said it, when that was received, what it says, and whether what was paid was kept by then. */
const claimOf = (fact: OfEvent, arePaidAmountsKept: boolean): number | undefined => {
  const content = contentOf(fact)
  return content === undefined || fact.eventId === undefined
    ? undefined
    : numberOf([fact.eventId, fact.knownAt, ...content, ...(arePaidAmountsKept ? [] : [null])])
}

/** What the books keep only once: the same payment may be reported at another time, or without its amount. */
const moneyOf = (fact: OfEvent): number | undefined => {
  if (fact.kind === "payment") return numberOf([fact.kind, fact.ipcId, fact.reference, ...paidOf(fact)])
  return fact.kind === "certificate" ? numberOf(contentOf(fact) ?? []) : undefined
}

/** What the books say, taken before the bodies are read. */
interface Said {
  /** For each fact of an event, in order: its claim, and its number. */
  readonly claims: ReadonlyArray<number>
  readonly numbers: ReadonlyArray<number>
  readonly money: NumberSet
}

const factsAtOnce = 5000

const saidIn = Effect.fnUntraced(function* (store: Store["Service"], agreed: ReadonlyArray<Agreed.Agreed>) {
  const said = { claims: [] as Array<number>, numbers: [] as Array<number>, money: new NumberSet() }
  for (let after = 0; ;) {
    const rows = yield* store.run((db) =>
      db
        .selectFrom("ledger_facts")
        .selectAll()
        .where("number", ">", after)
        .orderBy("number")
        .limit(factsAtOnce)
        .execute()
    )
    const last = rows.at(-1)
    if (last === undefined) return said satisfies Said
    after = last.number
    for (const fact of rows.map(Rows.toFact)) {
      const terms = agreed.findLast(({ fromFact }) => fromFact <= fact.number)?.terms
      const claim = claimOf(fact, terms === undefined || rulesOf(terms).arePaidAmountsKept)
      const money = moneyOf(fact)
      if (claim === undefined) continue
      said.claims.push(claim)
      said.numbers.push(fact.number)
      if (money !== undefined) said.money.add(money)
      if (fact.kind === "payment") said.money.add(moneyOf(withoutAmount(fact)) ?? 0)
    }
    yield* Effect.yieldNow
  }
})

/** `most`: of the differences. */
export const signed = Effect.fnUntraced(function* (most: number) {
  const store = yield* Store
  const reader = yield* EventReader
  const nowMicros = (yield* Clock.currentTimeMillis) * 1000
  // Before the facts: whatever is settled has left its facts.
  const settled = yield* store.deliveries.settledThrough
  const quarantined = yield* store.run(quarantinedIn)
  const agreed = yield* store.run(Agreed.agreed)
  const said = yield* saidIn(store, agreed)
  const namings = namingsOf(agreed)
  const signedClaims = new NumberSet()
  const differences: Array<string> = []
  let bodies = 0

  const look = Effect.fnUntraced(function* (event: Event) {
    const readings: Array<ReadonlyArray<NewFact>> = []
    for (const as of namings) {
      const reading = read(event, reader, nowMicros, as.naming)
      const facts = heard(reading instanceof Promise ? yield* Effect.promise(() => reading) : reading).flatMap(factsOf)
      const kept = as.arePaidAmountsKept ? facts : facts.map(withoutAmount)
      readings.push(kept)
      for (const fact of kept) signedClaims.add(claimOf(fact, as.arePaidAmountsKept) ?? 0)
    }
    if (event.sequence > settled || quarantined.has(event.sequence)) return
    const missing = readings.map((facts) => facts.find((fact) => isUnknown(fact, said)))
    // By some names it may say more than by those of its time.
    const [first] = missing
    if (first !== undefined && missing.every((each) => each !== undefined)) differences.push(unknown(event, first))
  })

  for (let after = 0; ;) {
    const { events, hasMore, through } = yield* store.deliveries.stored(after)
    if (!hasMore) break
    for (const event of events) yield* look(event)
    bodies += events.length
    after = through
    yield* Effect.yieldNow
  }
  for (const [index, claim] of said.claims.entries()) {
    if (differences.length >= most) break
    if (!signedClaims.has(claim)) differences.push(unsigned(said.numbers[index]!))
  }
  return { bodies, differences: differences.slice(0, most) } satisfies Signed
})

const isUnknown = (fact: NewFact, { money }: Said): boolean => {
  const number = moneyOf(fact)
  return number !== undefined && !money.has(number)
}

const unknown = ({ eventId, sequence }: Event, { ipcId, kind }: NewFact): string =>
  `IPC ${ipcId}: event ${eventId} (delivery ${sequence}) tells of a ${kind} that the books don't have.`

const unsigned = (number: number): string => `Fact ${number} isn't what any signed delivery says.`

/** As it was before version 3 of the rules. */
const withoutAmount = <F extends OfEvent>(fact: F): F => {
  if (fact.kind !== "payment") return fact
  const { units: _, ...payment } = fact
  return payment as F
}

interface As {
  /** Undefined: as now. */
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

const quarantinedIn = async (db: Kysely<StoreTables>): Promise<ReadonlySet<number>> => {
  const rows = await db.selectFrom("quarantine").select("sequence").execute()
  return new Set(rows.map(({ sequence }) => sequence))
}
