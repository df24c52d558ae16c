/**
 * Whether each fact of a look-up agrees with the stored answer: the body by its hash, and the values read again from
 * the same places.
 */
import { hash } from "node:crypto"
import type { Kysely } from "kysely"
import { certificateIn } from "../../Domain/Certificate.ts"
import { erasedAmong } from "../../Stores/Erasures.ts"
import { listedNumbers } from "../../Stores/Sql.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Fact, LookedUpFact } from "../Fact.ts"

/** In words, for those of these facts that come from look-ups. */
export const evidenced = async (db: Kysely<StoreTables>, all: ReadonlyArray<Fact>): Promise<ReadonlyArray<string>> => {
  const facts = all.filter((fact) => fact.kind === "looked-up")
  if (facts.length === 0) return []
  const numbers = facts.map(({ number }) => number)
  const bodies = await db
    .selectFrom("ledger_evidence")
    .selectAll()
    .where("fact", "in", listedNumbers(db, numbers))
    .execute()
  const byFact = new Map(bodies.map(({ body, fact }) => [Number(fact), body]))
  const changed = facts.filter(({ number, sha256 }) => hash("sha256", byFact.get(number) ?? "") !== sha256)
  const erased = await erasedAmong(
    db,
    changed.map(({ sha256 }) => sha256)
  )
  return facts.flatMap((fact) => difference(fact, byFact.get(fact.number), erased))
}

/** `erased`: the hashes of bodies from which something has been erased since. */
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
