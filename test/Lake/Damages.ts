/** Damages to an export, each with the sentence that `lake verify` prints about it. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { sha256 } from "../../src/Lake/LocalFiles.ts"
import * as Manifest from "../../src/Lake/Manifest.ts"
import type { World } from "./ExportWorld.ts"

export interface Damaged {
  readonly world: World
  readonly manifest: Manifest.Manifest
}

export const pathOf = ({ manifest }: Damaged, table: string): string => manifest.tables[table]?.files[0]?.path ?? ""
export const fileOf = (damaged: Damaged, table: string): string => join(damaged.world.lake, pathOf(damaged, table))

const flipped = (file: string): void => {
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
  writeFileSync(file, bytes)
}

/** As if the export had written this manifest: its hash is right. */
export const announced = ({ manifest, world }: Damaged, change: (text: string) => string): void => {
  const text = change(Manifest.stringify(manifest))
  const path = Manifest.manifestPath(manifest.run)
  writeFileSync(join(world.lake, path), text)
  const pointer = { run: manifest.run, manifest: path, sha256: sha256(text) }
  writeFileSync(join(world.lake, Manifest.pointerPath), Manifest.stringify(pointer))
}

/** As if the export had written this file: its length and hash are right in the manifest. */
const announcedAs = (damaged: Damaged, table: string, content: Buffer): void => {
  const file = damaged.manifest.tables[table]?.files[0]
  writeFileSync(fileOf(damaged, table), content)
  const now = { bytes: content.length, sha256: sha256(content) }
  announced(damaged, (text) =>
    text.replace(
      `"bytes": ${file?.bytes},\n          "sha256": "${file?.sha256}"`,
      `"bytes": ${now.bytes},\n          "sha256": "${now.sha256}"`
    )
  )
}

const edited = (from: string | RegExp, to: string) => (damaged: Damaged) =>
  announced(damaged, (text) => {
    const changed = text.replace(from, to)
    assert.notStrictEqual(changed, text)
    return changed
  })

/** A damage to an export, and the only sentence about it; RUN and IPCS stand for its names. */
export const damages: Readonly<Record<string, readonly [(damaged: Damaged) => void, string]>> = {
  "a file is missing": [(damaged) => rmSync(fileOf(damaged, "ipcs")), "IPCS is missing."],
  "a file is cut": [(damaged) => truncateSync(fileOf(damaged, "ipcs"), 100), "IPCS has 100 bytes, not BYTES."],
  "a bit of a file has changed": [
    (damaged) => flipped(fileOf(damaged, "ipcs")),
    "IPCS has a different SHA-256 than the manifest says."
  ],
  "a file isn't Parquet": [
    (damaged) => announcedAs(damaged, "ipcs", Buffer.from("no Parquet, as long as it is")),
    "IPCS can't be read as Parquet: "
  ],
  "a page of a file is garbage": [
    (damaged) => announcedAs(damaged, "ipcs", readFileSync(fileOf(damaged, "ipcs")).fill(0xff, 4, 60)),
    "IPCS can't be read as Parquet: "
  ],
  "a file is that of another table": [
    (damaged) => announcedAs(damaged, "ipcs", readFileSync(fileOf(damaged, "ncrs"))),
    "IPCS has 0 rows, not 2."
  ],
  "an empty file is that of another table": [
    (damaged) => announcedAs(damaged, "vos", readFileSync(fileOf(damaged, "ncrs"))),
    "VOS has different columns than the manifest says."
  ],
  "a least value is wrong": [
    edited(/"certified_amount": \{\s+"min": "10.0000"/, '"certified_amount": { "min": "9.0000"'),
    "IPCS has different least and greatest values than the manifest says."
  ],
  "rows without a value are counted wrong": [
    edited(/"nulls": \{\s+"draft_amount": 2/, '"nulls": { "draft_amount": 1'),
    "IPCS lacks values in other rows than the manifest says."
  ],
  "a table's rows are counted wrong": [
    edited(/("ipcs": \{\s+"rows": )2/, "$13"),
    "The manifest says that ipcs has 3 rows, but its files have 2."
  ],
  "the journal is missing": [
    ({ manifest, world }) => rmSync(join(world.lake, manifest.journal ?? "")),
    "ledger_entries/RUN-journal.csv is missing."
  ],
  "the journal has changed": [
    ({ manifest, world }) => flipped(join(world.lake, manifest.journal ?? "")),
    "ledger_entries/RUN-journal.csv has a different SHA-256 than the manifest says."
  ],
  "the journal's lines are counted wrong": [
    edited(/("journalFile": \{\s+"rows": )0/, "$11"),
    "ledger_entries/RUN-journal.csv has 0 lines, not 1."
  ],
  "the pointer has another hash": [
    ({ manifest, world }) =>
      writeFileSync(join(world.lake, Manifest.manifestPath(manifest.run)), `${Manifest.stringify(manifest)} `),
    "latest.json names _manifests/RUN.json with a different SHA-256 than it has."
  ]
}
