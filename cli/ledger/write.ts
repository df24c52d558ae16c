/**
 * `siteledger ledger write FORMAT FILE`: the journal as a file for an accounting program or a spreadsheet, laid out by
 * the chart that the worker knows (or this shell, without a worker). Stderr says what a person should know about the
 * file.
 */
import { Console, Effect, Option, Record, Result } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import * as Parse from "../../config/Parse.ts"
import type { FileWriter } from "../../src/Ledger/Files/Format.ts"
import { formats, names } from "../../src/Ledger/Files/Formats.ts"
import type { PostingDay, Range } from "../../src/Ledger/Files/JournalEntry.ts"
import * as WholeFile from "../../src/Ledger/Files/WholeFile.ts"
import { LedgerError } from "../../src/Ledger/People/Decide.ts"
import * as Alone from "../Alone.ts"
import { askForJournal, type Journal } from "../Ask.ts"
import { argument, json, toggle } from "../Options.ts"
import * as Said from "../Said.ts"

const day = (name: string, meaning: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(meaning),
    Flag.filter(
      (text) => Result.isSuccess(Parse.day(text)),
      () => "a date like 2026-01-31"
    ),
    Flag.optional
  )

const flags = {
  format: Argument.Literals("format", names).pipe(Argument.withDescription("For which program")),
  file: argument("file", "The file to write, readable only by you"),
  from: day("from", "The first posting date (default: that of the journal)"),
  to: day("to", "The last posting date"),
  force: toggle("force", "Replace the file if there is one"),
  json
}

interface Writing<E> {
  readonly journal: Journal<E>
  readonly writer: FileWriter
  readonly put: WholeFile.Put
}

const putDay = <E>({ journal, put, writer }: Writing<E>, { day, entries: expected, first, last }: PostingDay) =>
  Effect.gen(function* () {
    let [after, count] = [first - 1, 0]
    while (after < last) {
      const { entries } = yield* journal.entries({ day, after, last })
      yield* put(yield* Effect.mapError(Effect.fromResult(writer.add(entries)), refused))
      count += entries.length
      after = entries.at(-1)?.sequence ?? last
    }
    if (count !== expected)
      return yield* new LedgerError({ message: `Only ${count} of the ${expected} entries of ${day} arrived.` })
  })

const refused = (why: string) => new LedgerError({ message: why })

interface Wanted {
  readonly format: (typeof names)[number]
  readonly path: string
  readonly range: Range
  readonly isReplacing: boolean
}

const written =
  ({ format, range, ...target }: Wanted) =>
  <E>(journal: Journal<E>) =>
    Effect.gen(function* () {
      const { days } = yield* journal.days(range)
      const writer = formats[format]()
      yield* WholeFile.write(target, (put) =>
        Effect.gen(function* () {
          yield* put(writer.begin())
          for (const each of days) yield* putDay({ journal, writer, put }, each)
          yield* put(writer.end())
        })
      )
      const entries = days.reduce((sum, each) => sum + each.entries, 0)
      return { path: target.path, format, entries, notes: writer.notes() }
    })

const backwards = new CliError.UserError({ cause: "--from is after --to." })

export const write = Command.make("write", flags, ({ file, force, format, from, json: asJson, to }) =>
  Effect.gen(function* () {
    if (Option.isSome(from) && Option.isSome(to) && from.value > to.value) return yield* backwards
    const wanted = { format, path: file, range: Record.getSomes({ from, to }), isReplacing: force }
    const { notes, ...done } = yield* askForJournal(Alone.journal, written(wanted))
    const page = () => [`Wrote ${Said.counted(done.entries, "entry", "entries")} to ${done.path}.`]
    yield* Said.answer(asJson, page)(done)
    yield* Effect.forEach(notes, (note) => Console.error(note), { discard: true })
  })
).pipe(
  Command.withDescription("Write the journal as a file for hledger, Excel (xlsx), Sage 50 or SAP"),
  Command.withExamples([
    { command: "siteledger ledger write hledger books.journal", description: "For hledger, which checks it" },
    {
      command: "siteledger ledger write xlsx september.xlsx --from 2026-09-01 --to 2026-09-30",
      description: "One month for a spreadsheet"
    }
  ])
)
