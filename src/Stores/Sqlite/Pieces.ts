/**
 * What the weekly check of an embedded Store reads: each segment of its inbox, each archive, and the file.
 */
import { Effect } from "effect"
import type { Kysely } from "kysely"
import type { ArchiveFolder } from "../Archives/ArchiveFolder.ts"
import * as Archiving from "../Archives/Archiving.ts"
import type { Piece } from "../Piece.ts"
import type { Segments } from "../Segments/Segments.ts"
import type { StoreError } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import { check } from "./Check.ts"

interface Files {
  readonly open: () => Promise<Segments>
  readonly archives: ArchiveFolder
}

interface Inbox {
  readonly segments: Segments
  readonly folder: ArchiveFolder
  readonly archives: ReadonlyArray<{ readonly name: string }>
}

/** One piece for each segment of the inbox and for each archive, and one for the file itself. */
const piecesOf = (path: string, inbox: Inbox, failed: (cause: unknown) => StoreError) => {
  const { archives, folder, segments } = inbox
  const piece = (name: string, check: () => Promise<unknown>): Piece<StoreError> => ({
    name,
    check: Effect.asVoid(Effect.tryPromise({ try: check, catch: failed }))
  })
  return [
    ...segments.firsts.map((first) => piece(`segment ${first} of the inbox`, () => segments.check(first))),
    ...archives.map(({ name }) => piece(`the archive ${name}`, () => folder.check(name, segments.key))),
    piece("the store", () => check(path))
  ]
}

export const all = async (
  path: string,
  files: Files,
  db: Kysely<StoreTables>,
  failed: (cause: unknown) => StoreError
): Promise<ReadonlyArray<Piece<StoreError>>> =>
  piecesOf(path, { segments: await files.open(), folder: files.archives, archives: await Archiving.all(db) }, failed)
