/**
 * The lines about exports and everything else on the lake.
 */
import { counted, line, number, text } from "./Line.ts"

const seconds = number("how long it took")

const backup = text("where it is")

export const backups = {
  "backup.began": line(
    "Info",
    "A generation of the backup off the machine begins: it gets everything that the store has.",
    { backup, generation: text("its random name") },
    (is) => `The backup on ${is.backup} begins: generation ${is.generation}`
  ),
  "backup.whole": line(
    "Info",
    "The backup off the machine has everything, and follows from now on.",
    { backup, generation: text("its random name"), chunks: number("files"), seconds },
    (is) => `The backup on ${is.backup} has everything, in ${counted(is.chunks, "chunk")}`
  ),
  "backup.verified": line(
    "Info",
    "The backup off the machine was read back and compared with the store.",
    { backup, chunks: number("files that were read"), bytes: number("of the store in them"), seconds },
    (is) => `${counted(is.chunks, "chunk")} of the backup on ${is.backup} (${is.bytes} bytes) match the store`
  ),
  "backup.damaged": line(
    "Error",
    "Parts of the backup off the machine were changed or gone, and were written again.",
    { backup, why: text("in a sentence") },
    (is) => `${is.why} They were written again to ${is.backup}.`
  ),
  "backup.pruned": line(
    "Info",
    "A generation of the backup off the machine that another one replaced was removed.",
    { backup, generation: text("its random name") },
    (is) => `Generation ${is.generation} was removed from the backup on ${is.backup}`
  )
}

export const lake = {
  "export.finished": line(
    "Info",
    "An export is complete, and the pointer shows it.",
    {
      run: text("its name"),
      rows: number("in all of its tables"),
      files_written: number("new files"),
      files_kept: number("files of earlier exports whose rows haven't changed"),
      bytes: number("written"),
      sequence: number("every delivery up to this number is in it"),
      seconds
    },
    (is) =>
      `Exported ${is.run}: ${is.rows} rows, ${counted(is.files_written, "file")} written (${is.bytes} bytes) and ` +
      `${is.files_kept} kept, in ${is.seconds} s`
  ),
  "export.overtaken": line(
    "Warn",
    "Another exporter has shown an export of the same time or later.",
    { why: text("in a sentence") },
    ({ why }) => why
  ),
  "export.repaired": line(
    "Warn",
    "The newest export was damaged and was written again.",
    { why: text("in a sentence") },
    ({ why }) => `${why} All of its files were written again.`
  ),
  "lake.unswept": line(
    "Warn",
    "Files that no export needs can't be removed now.",
    { why: text("in a sentence") },
    ({ why }) => why
  ),
  "delta.left": line(
    "Warn",
    "A Delta log is left alone, because other programs have changed it.",
    { why: text("in a sentence") },
    ({ why }) => why
  ),
  "lake.unguarded": line(
    "Warn",
    "The S3 store ignores conditions of a write.",
    { lake: text("its name") },
    ({ lake }) =>
      `${lake}: the store has no conditional writes, so two exporters can't notice each other. Let a single one write there.`
  ),
  "archive.made": line(
    "Info",
    "Old deliveries have left the store for an archive.",
    {
      archive: text("its name"),
      deliveries: number("how many"),
      first: number("the first one's number"),
      last: number("the last one's number")
    },
    ({ archive, deliveries, first, last }) =>
      `${deliveries} deliveries (${first} to ${last}) left the store for the archive ${archive}`
  ),
  "archive.rewritten": line(
    "Warn",
    "The lake's copy of an archive was damaged or gone.",
    { archive: text("its name"), lake: text("where"), why: text("in words") },
    ({ archive, lake, why }) =>
      `The copy of the archive ${archive} on ${lake} ${why}: it was written again from the store's own. Find out who ` +
      "can write there."
  ),
  "copy.unusable": line(
    "Warn",
    "Deliveries can't be copied to the lake, or taken back from there, for now.",
    { why: text("in a sentence") },
    ({ why }) => why
  )
}
