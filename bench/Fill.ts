/**
 * Stores deliveries that no worker has applied, in its own process and while no worker runs; the next worker finds them
 * in its inbox. Prints how many there are. Run: node bench/Fill.ts DATA_DIR SERIES COUNT [DATABASE]
 */
import { Effect, Layer } from "effect"
import { store } from "../pipelines/stores.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import { Store } from "../src/Stores/Store.ts"
import { settings } from "./BenchSettings.ts"
import { fill } from "./InboxFiles.ts"
import { delivery } from "./Signed.ts"

const [directory = "", series = "stored", count = "1000", database] = process.argv.slice(2)
const total = Number(count)
/** Each IPC has a whole life: created, submitted, certified, paid. */
const ipcs = Math.ceil(total / 4)
/** The server has less than a second to store them. */
const atOnce = 1000

const intoDatabase = async (url: string): Promise<void> => {
  const given = { SITELEDGER_DATA_DIR: directory, SITELEDGER_WAREHOUSE: url }
  const bottom = Layer.provideMerge(Layer.provideMerge(store, Reasons.layer), settings(given))
  const all = Effect.gen(function* () {
    const { deliveries } = yield* Store
    for (let first = 0; first < total; first += atOnce) {
      const some = Array.from({ length: Math.min(atOnce, total - first) }, (_, n) => delivery(series, first + n, ipcs))
      yield* Effect.promise(() => deliveries.receive(some))
    }
  })
  await Effect.runPromise(Effect.scoped(Effect.provide(all, bottom)))
}

if (database === undefined) fill(directory, total, ipcs, series)
else await intoDatabase(database)
process.stdout.write(`${total}\n`)
