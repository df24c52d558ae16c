/**
 * What a process knows about the files of the copy for analysts (`PublishedFiles`), in a note beside them for the next
 * process: so even its first copy can be based on the previous one.
 *
 * A note that can't be read, or is about another source, is ignored. Identities tell whether the files are still the
 * same. The note contains keys of rows, so only its owner can read it.
 */
import { createHash } from "node:crypto"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { Option, Schema } from "effect"
import { version } from "../Runtime/Program.ts"
import type { Column } from "../Domain/Resource.ts"
import type { Known } from "./PublishedFiles.ts"
import type { Shown } from "./WarehouseTables.ts"

const noteOf = (target: string): string => `${target}.known`

/** What copies are made from: another version of the program, other tables or another `state` make another source. */
export const sourceOf = (tables: ReadonlyArray<Shown>, state: string): string => {
  const shapes = tables.map(({ columns, key, name, says }) => [name, key, says, columns.map(columnIn)])
  return createHash("sha256")
    .update(JSON.stringify([version, state, shapes]))
    .digest("hex")
}

const columnIn = ({ name, says, type }: Column): ReadonlyArray<string> => [name, type, says]

const noted = <Since>(since: Schema.Codec<Since>) => {
  const copy = { identity: Schema.String, since }
  return Schema.fromJsonString(
    Schema.Struct({
      source: Schema.String,
      known: Schema.Struct({
        shown: Schema.Struct(copy),
        hidden: Schema.NullOr(Schema.Struct({ ...copy, at: Schema.Int })),
        replaced: Schema.Int
      })
    })
  )
}

export const read = <Since>(target: string, source: string, since: Schema.Codec<Since>): Known<Since> | undefined => {
  const note = Schema.decodeUnknownOption(noted(since))(textAt(noteOf(target)))
  return Option.isSome(note) && note.value.source === source ? note.value.known : undefined
}

/**
 * Undefined if nothing is known. Not fsynced, because deliveries would wait for that. If a note can't be written or a
 * power cut destroys it, the next copy is slower, and that is all.
 */
export const write = (target: string, source: string, known: Known<unknown> | undefined): void => {
  const path = noteOf(target)
  try {
    if (known === undefined) return rmSync(path, { force: true })
    const made = `${path}.tmp`
    rmSync(made, { force: true })
    writeFileSync(made, JSON.stringify({ source, known }), { mode: 0o600, flag: "wx" })
    renameSync(made, path)
  } catch {
    // Then an older note stays, which is about files that are no longer shown.
  }
}

const textAt = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
