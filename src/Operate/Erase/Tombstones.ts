/**
 * Notes in the Store which bodies an erasure changes, by the hash of the original. What one call notes is committed once,
 * before the bodies change: a commit for each body took a quarter of an hour for a million of them.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Lost } from "./Inbox.ts"

export const noting = (database: DatabaseSync, erasure: number) => {
  const insert = database.prepare(
    `insert into erased_bodies (body_sha256, erasure, sequence) values (?, ?, ?) on conflict (body_sha256) do nothing`
  )
  /** Within the caller's transaction. */
  const one = (sha256: string, sequence: number | null): void => void insert.run(sha256, erasure, sequence)
  const all = (lost: ReadonlyArray<Lost>): void => {
    database.exec("begin immediate")
    for (const { sequence, sha256 } of lost) one(sha256, sequence)
    database.exec("commit")
  }
  return { one, all }
}
