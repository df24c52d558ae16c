/**
 * Growing: projects whose certified amounts only ever grow, while no one has said what the amounts mean. They may be
 * cumulative; then each payment posts again what was paid before. So a person is told, and entries are drafts until it
 * is decided.
 *
 * The leader checks once a minute if the books have changed, and less often if there is much to read: 300,000 certified
 * IPCs whose amounts all grow take four seconds. A project whose amounts have fallen once isn't read again.
 */
import { Duration, Effect, Layer } from "effect"
import { Settings } from "../../config/Settings.ts"
import * as CertifiedOrder from "../Ledger/CertifiedOrder.ts"
import type { Terms } from "../Ledger/Fact.ts"
import { certifiedAs } from "../Ledger/Fold/CertifiedAs.ts"
import * as OpenHolds from "../Ledger/OpenHolds.ts"
import * as Text from "../Query/Text.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Store } from "../Stores/Store.ts"

/** From this many certified IPCs on, it isn't chance. */
export const fewest = 4

const lookEvery = Duration.minutes(1)
const key = "growing amounts"

/** Reading one takes 14 µs. */
const restPerIpc = Duration.millis(1)

export const restAfter = (ipcs: number): Duration.Duration => Duration.max(Duration.times(restPerIpc, ipcs), lookEvery)

/**
 * How many of a project's first thousand IPCs are certified, if each has more than the previous one; undefined if one
 * doesn't.
 */
export const growingIn = (projectId: string) =>
  Effect.flatMap(Store, (store) =>
    store.run(async (db) => {
      let count = 0
      let last: bigint | undefined
      for (const amount of await CertifiedOrder.amountsIn(db, projectId)) {
        if (last !== undefined && amount <= last) return undefined
        last = amount
        count++
      }
      return count
    })
  )

const sentence = (found: ReadonlyArray<{ readonly projectId: string; readonly count: number }>): string => {
  const shown = found.slice(0, 3).map(({ count, projectId }) => `${Text.visible(projectId)} (${count} certified IPCs)`)
  const more = found.length > shown.length ? ` and ${found.length - shown.length} more` : ""
  const [project, they] = found.length === 1 ? ["project", "it"] : ["projects", "them"]
  return (
    `Each certificate of ${project} ${shown.join(", ")}${more} is above the one before, so their amounts may be cumulative. ` +
    `State for ${they} whether they are (SITELEDGER_LEDGER_FILE); until then entries are drafts.`
  )
}

/** Returns how many IPCs it read in projects whose amounts grow. */
const watcher = (terms: Terms) => {
  const fallen = new Set<string>()
  let seen = ""
  return Effect.gen(function* () {
    const store = yield* Store
    const reasons = yield* Reasons
    const stamp = yield* OpenHolds.stamp
    if (stamp === seen) return 0
    let read = 0
    const found: Array<{ projectId: string; count: number }> = []
    for (const projectId of yield* store.run(CertifiedOrder.allProjects)) {
      if (fallen.has(projectId) || certifiedAs(projectId, terms) !== "assumed") continue
      const count = yield* growingIn(projectId)
      read += count ?? 0
      if (count === undefined) fallen.add(projectId)
      else if (count >= fewest) found.push({ projectId, count })
      yield* Effect.yieldNow
    }
    seen = stamp
    yield* found.length === 0 ? reasons.clear(key) : reasons.set(key, sentence(found), "notice")
    return read
  }).pipe(
    Effect.catchTag("StoreError", (error) =>
      Effect.as(Effect.logDebug("Certified amounts can't be read yet", error), 0)
    )
  )
}

export const layerWith = (terms: Terms) =>
  Layer.effectDiscard(
    Effect.suspend(() => {
      const look = watcher(terms)
      const turn = Effect.flatMap(look, (read) => Effect.sleep(restAfter(read)))
      return Effect.forkScoped(led("the watch over amounts that grow", turn))
    })
  )

export const layer = Layer.unwrap(Effect.map(Settings, ({ ledger }) => layerWith(ledger)))
