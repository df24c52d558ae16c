/**
 * Cumulative certificates lead to the same differences in any order of events, on both engines: those of
 * docs/ledger.md.
 */
import { Effect } from "effect"
import type { Random } from "../../Seeded.ts"
import { inAnyOrder } from "../ManyOrders.ts"
import { at, hear } from "../Started.ts"
import { eventsOf, isAsExpected, lives } from "./Lives.ts"
import { terms } from "./Projects.ts"

const anyOrder = (random: Random) =>
  Effect.gen(function* () {
    const all = lives(random)
    const events = random.shuffle(all.flatMap((life) => eventsOf(life, random)))
    for (let from = 0; from < events.length;) {
      const size = 1 + random.below(4)
      yield* hear(events.slice(from, from + size).map((event, n) => ({ ...event, receivedAt: at(1000 + from + n) })))
      from += size
    }
    yield* isAsExpected(all)
  })

inAnyOrder("leads to the same differences", terms, anyOrder)
