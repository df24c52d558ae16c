/**
 * What a look-up answers about an IPC whose payment waits for a certificate: a fact with its evidence, the answer as it
 * came, if it settles the payment; otherwise an explanation for the person who decides. Runs in one transaction, in its
 * turn at the books.
 */
import { hash } from "node:crypto"
import type { Transaction } from "kysely"
import { certificateIn, type CertificatePlaces } from "../Domain/Certificate.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { Version } from "../Domain/Version.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import * as Text from "../Query/Text.ts"
import * as LookUps from "../Stores/LookUps.ts"
import { newestIn } from "./Agreed.ts"
import * as Books from "./Books.ts"
import type { LookedUpFact, Terms } from "./Fact.ts"
import { empty } from "./Fold/Known.ts"
import { objectionTo } from "./Fold/LookedUp.ts"
import type * as Messages from "./Outbox/Messages.ts"
import * as StoredBooks from "./StoredBooks.ts"

/** As it came. */
export interface Answer {
  /** The path of the request. */
  readonly path: string
  readonly text: string
  /** Hex; of the body. */
  readonly sha256: string
  readonly version: Version
  readonly receivedAt: Instant
}

export interface LookedUp {
  readonly ipcId: string
  /** What was requested, as a person refers to it: `GET /ipcs/{id}`. */
  readonly read: string
  /** Where an answer has the certificate; undefined if no one has said so, or signed it off. */
  readonly places: CertificatePlaces | undefined
  readonly at: Instant
  /** A text says why there was none. */
  readonly answer: Answer | string
}

/** How much of an answer is stored: some hundred times the size of a record. */
const mostBytes = 1024 * 1024

/** How much of an id that the service chose is shown. */
const mostShown = 40

type NewFact = Omit<LookedUpFact, "number">

/** The fact; or, in words, why the answer contains none. */
const factIn = ({ answer, ipcId, places }: LookedUp): NewFact | string => {
  if (typeof answer === "string") return answer
  if (places === undefined) return "no certified amount that is signed off in the review file"
  const { path, receivedAt, sha256, text, version } = answer
  if (Buffer.byteLength(text) > mostBytes) return "an answer of more than 1 MiB, which isn't kept"
  if (hash("sha256", text) !== sha256) return "an answer that isn't plain UTF-8"
  const found = certificateIn(text, places)
  if (typeof found === "string") return `an answer that ${found}`
  const { at, currency, id, projectId, units, url } = found
  if (id !== ipcId) return `the record of ${Text.cut(Text.visible(id), mostShown)} instead`
  return {
    kind: "looked-up",
    ipcId,
    knownAt: receivedAt,
    at,
    units,
    url,
    currency,
    ...(projectId === null ? {} : { projectId }),
    version,
    path,
    sha256,
    places
  }
}

export const record = async (
  tx: Transaction<StoreTables>,
  lookedUp: LookedUp,
  terms: Terms,
  posting: Messages.Posting | undefined
): Promise<Books.Recorded> => {
  const { answer, at, ipcId, read } = lookedUp
  const fact = factIn(lookedUp)
  const note = (why: string | null) =>
    LookUps.note(
      tx,
      { resource: "ipcs", id: ipcId },
      at,
      why === null ? null : `${read} was asked at ${at}. It found ${why}.`
    )
  if (typeof fact === "string" || typeof answer === "string") {
    await note(typeof fact === "string" ? fact : null)
    return Books.nothing
  }
  const recorded = await Books.record(tx, [fact], terms, posting)
  if (recorded.facts === 0) {
    const books = (await StoredBooks.read(tx, [ipcId])).get(ipcId) ?? empty(ipcId)
    await note(objectionTo(books, { ...fact, number: 0 }, (await newestIn(tx)) ?? terms) ?? null)
    return recorded
  }
  const { number } = await tx
    .selectFrom("ledger_facts")
    .select((of) => of.fn.max("number").as("number"))
    .where("ipc_id", "=", ipcId)
    .where("kind", "=", "looked-up")
    .executeTakeFirstOrThrow()
  await tx
    .insertInto("ledger_evidence")
    .values({ fact: Number(number), body: answer.text })
    .execute()
  await note(null)
  return recorded
}
