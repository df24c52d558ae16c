/**
 * Whether each fact of a look-up is what the kept answer says: its body by its hash, and read again from the same places.
 */
import { hash } from "node:crypto"
import type { Kysely } from "kysely"
import { certificateIn } from "../../Domain/Certificate.ts"
import { erasedAmong } from "../../Stores/Erasures.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { LookedUpFact } from "../Fact.ts"
import { toFact } from "../Rows.ts"

const atOnce = 200

/** In words, at most so many. */
export const evidenced = async (db: Kysely<StoreTables>, most: number): Promise<ReadonlyArray<string>> => {
  const differences: Array<string> = []
  for (let after = 0; differences.length < most;) {
    const rows = await db
      .selectFrom("ledger_facts")
      .selectAll()
      .where("kind", "=", "looked-up")
      .where("number", ">", after)
      .orderBy("number")
      .limit(atOnce)
      .execute()
    const last = rows.at(-1)
    if (last === undefined) break
    after = Number(last.number)
    const bodies = await db
      .selectFrom("ledger_evidence")
      .selectAll()
      .where(
        "fact",
        "in",
        rows.map(({ number }) => number)
      )
      .execute()
    const byFact = new Map(bodies.map(({ body, fact }) => [Number(fact), body]))
    const facts = rows.map(toFact).filter((fact) => fact.kind === "looked-up")
    const changed = facts.filter(({ number, sha256 }) => hash("sha256", byFact.get(Number(number)) ?? "") !== sha256)
    const erased = await erasedAmong(
      db,
      changed.map(({ sha256 }) => sha256)
    )
    for (const fact of facts) differences.push(...difference(fact, byFact.get(Number(fact.number)), erased))
  }
  return differences.slice(0, most)
}

/** `erased`: the hashes of bodies from which something was erased since. */
const difference = (
  fact: LookedUpFact,
  body: string | undefined,
  erased: ReadonlySet<string>
): ReadonlyArray<string> => {
  const { at, currency, ipcId, number, path, places, projectId, sha256, units, url } = fact
  const named = `IPC ${ipcId}: the answer that fact ${number} rests on (GET ${path})`
  if (body === undefined) return [`${named} is gone.`]
  if (hash("sha256", body) !== sha256 && !erased.has(sha256)) return [`${named} was changed since it came.`]
  const read = certificateIn(body, places)
  if (typeof read === "string") return [`${named} ${read}, which the fact says.`]
  const isSame =
    read.id === ipcId &&
    read.at === at &&
    read.units === units &&
    read.url === url &&
    read.currency === currency &&
    read.projectId === (projectId ?? null)
  return isSame ? [] : [`${named} says something else than the fact.`]
}
