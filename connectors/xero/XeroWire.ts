/**
 * Manual journals and errors in Xero's JSON (XeroAPI/Xero-OpenAPI, xero_accounting.yaml: ManualJournals, ManualJournal,
 * ManualJournalLine, Error, ValidationError), as far as they are used. Pure.
 *
 * Amounts are read from their digits, never from a float. A field that is missing or null counts as empty.
 */
import { Option, Schema } from "effect"
import * as Amount from "../../src/Domain/Amount.ts"
import * as Json from "../../src/Domain/Json.ts"
import { entryIdIn, type JournalLine, trackingKey } from "./XeroJournal.ts"

export interface Journal {
  /** Xero's id; empty if it stored none. */
  readonly manualJournalId: string
  /** The id of the entry that the narration names, if any. */
  readonly entryId: string | undefined
  /** A person deleted the draft, or voided the posted journal. */
  readonly isGone: boolean
  readonly lines: ReadonlyArray<JournalLine>
  /** Refused, although the answer as a whole is a 200. */
  readonly isRefused: boolean
  readonly messages: ReadonlyArray<string>
}

export interface Journals {
  readonly journals: ReadonlyArray<Journal>
  /** Undefined if the answer doesn't say. */
  readonly pageCount: number | undefined
}

const orNothing = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))

const Messages = orNothing(Schema.Array(Schema.Struct({ Message: orNothing(Schema.String) })))

const Line = Schema.Struct({
  LineAmount: Schema.optional(Schema.Unknown),
  AccountCode: orNothing(Schema.String),
  TaxType: orNothing(Schema.String),
  Tracking: orNothing(
    Schema.Array(Schema.Struct({ Name: orNothing(Schema.String), Option: orNothing(Schema.String) }))
  ),
  IsBlank: orNothing(Schema.Boolean)
})

const ManualJournal = Schema.Struct({
  ManualJournalID: orNothing(Schema.String),
  Narration: orNothing(Schema.String),
  Status: orNothing(Schema.String),
  JournalLines: orNothing(Schema.Array(Line)),
  StatusAttributeString: orNothing(Schema.String),
  HasErrors: orNothing(Schema.Boolean),
  ValidationErrors: Messages,
  Warnings: Messages
})

const ManualJournals = Schema.Struct({
  pagination: orNothing(Schema.Struct({ pageCount: orNothing(Schema.Number) })),
  ManualJournals: Schema.Array(ManualJournal)
})

const ErrorAnswer = Schema.Struct({
  Message: orNothing(Schema.String),
  Detail: orNothing(Schema.String),
  Elements: orNothing(Schema.Array(Schema.Struct({ ValidationErrors: Messages })))
})

const decodeJournals = Schema.decodeUnknownOption(ManualJournals)
const decodeError = Schema.decodeUnknownOption(ErrorAnswer)

/** Undefined if the text isn't a list of journals. */
export const readJournals = (text: string): Journals | undefined => {
  const decoded = decodeJournals(Json.parse(text))
  if (Option.isNone(decoded)) return undefined
  const { ManualJournals: journals, pagination } = decoded.value
  return { journals: journals.map(journalOf), pageCount: pagination?.pageCount ?? undefined }
}

/** What an error says; empty if it says nothing. */
export const messagesIn = (text: string): ReadonlyArray<string> => {
  const decoded = decodeError(Json.parse(text))
  if (Option.isNone(decoded)) return []
  const { Detail, Elements, Message } = decoded.value
  const validation = (Elements ?? []).flatMap(({ ValidationErrors }) => textsOf(ValidationErrors))
  return validation.length > 0 ? validation : [Message, Detail].filter((each) => typeof each === "string")
}

const textsOf = (messages: typeof Messages.Type): ReadonlyArray<string> =>
  (messages ?? []).flatMap(({ Message }) => Message ?? [])

/** What Xero puts in place of the id of a journal that it hasn't stored. */
const noId = /^[0-]*$/

const journalOf = (journal: typeof ManualJournal.Type): Journal => {
  const { HasErrors, JournalLines, ManualJournalID, Narration, Status, StatusAttributeString, ...says } = journal
  const errors = textsOf(says.ValidationErrors)
  const id = ManualJournalID ?? ""
  return {
    manualJournalId: noId.test(id) ? "" : id,
    entryId: entryIdIn(Narration ?? ""),
    isGone: Status === "DELETED" || Status === "VOIDED",
    lines: (JournalLines ?? []).filter(({ IsBlank }) => IsBlank !== true).map(lineOf),
    isRefused: StatusAttributeString === "ERROR" || HasErrors === true || errors.length > 0,
    messages: [...errors, ...textsOf(says.Warnings)]
  }
}

const lineOf = ({ AccountCode, LineAmount, TaxType, Tracking }: typeof Line.Type): JournalLine => {
  const amount = Amount.read(LineAmount, Amount.Money)
  return {
    units: amount === undefined ? undefined : Amount.toUnits(amount),
    account: (AccountCode ?? "").toLowerCase(),
    taxType: (TaxType ?? "").toLowerCase(),
    tracking: (Tracking ?? []).map(({ Name, Option }) => trackingKey(Name ?? "", Option ?? ""))
  }
}
