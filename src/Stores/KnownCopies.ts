/**
 * What a process knows about the files of the copy for analysts (`PublishedFiles`), in a note beside them, for the one that
 * comes next: its first copy can then be made from the one before, too.
 *
 * A note that can't be read, or is about another source, counts as none. Whether the files are still those, their
 * identities tell. It has keys of rows: only its owner can read it.
 */
import { createHash } from "node:crypto"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { Option, Schema } from "effect"
import { version } from "../Runtime/Program.ts"
import type { Column } from "../Domain/Resource.ts"
import type { Known } from "./PublishedFiles.ts"
import type { Shown } from "./WarehouseTables.ts"

const noteOf = (target: string): string => `${target}.known`

/** Of what copies are made: another version of the program, other tables or another `state` make another source. */
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
 * Undefined: nothing is known. Not flushed, as deliveries would wait for that: a note that can't be written, or that a power
 * cut takes, makes the next copy slower, and nothing else.
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
    // An older note, which then stays, is about files that are no longer shown.
  }
}

const textAt = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
