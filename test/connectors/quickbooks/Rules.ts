/**
 * What QuickBooks Online checks of a journal entry, written from Intuit's developer pages and its XSD, and the faults it
 * answers. Deliberately shares nothing with the product.
 */
import { Option, Schema } from "effect"

export interface Account {
  readonly Id: string
  readonly AcctNum?: string
  readonly Name: string
  readonly FullyQualifiedName: string
  readonly AccountType: string
  readonly Active: boolean
}

export interface Named {
  readonly Id: string
  readonly DisplayName?: string
  readonly FullyQualifiedName: string
  readonly Active: boolean
}

/** What a company has. */
export interface Lists {
  Account: ReadonlyArray<Account>
  Customer: ReadonlyArray<Named>
  Vendor: ReadonlyArray<Named>
  Class: ReadonlyArray<Named>
  Department: ReadonlyArray<Named>
}

export interface Fault {
  readonly code: string
  readonly message: string
  readonly detail: string
}

export const faultBody = ({ code, detail, message }: Fault): string =>
  JSON.stringify({
    Fault: { Error: [{ Message: message, Detail: detail, code, element: "" }], type: "ValidationFault" },
    time: "2026-11-20T09:17:31.892-07:00"
  })

/** As the gateway before QuickBooks answers, which repeats the token. */
export const gatewayFault = (code: string, message: string, detail: string, type: string): string =>
  JSON.stringify({
    warnings: null,
    intuitObject: null,
    fault: { error: [{ message, detail, code, element: null }], type },
    report: null,
    queryResponse: null,
    batchItemResponse: [],
    requestId: null,
    time: 1_730_024_394_085,
    status: null
  })

const Ref = Schema.Struct({ value: Schema.String })
const Line = Schema.Struct({
  Amount: Schema.String,
  Description: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(4000))),
  DetailType: Schema.Literal("JournalEntryLineDetail"),
  JournalEntryLineDetail: Schema.Struct({
    PostingType: Schema.Literals(["Debit", "Credit"]),
    AccountRef: Ref,
    Entity: Schema.optionalKey(Schema.Struct({ Type: Schema.Literals(["Customer", "Vendor"]), EntityRef: Ref })),
    ClassRef: Schema.optionalKey(Ref),
    DepartmentRef: Schema.optionalKey(Ref)
  })
})
const Entry = Schema.Struct({
  TxnDate: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)),
  DocNumber: Schema.String.check(Schema.isMaxLength(21)),
  PrivateNote: Schema.String.check(Schema.isMaxLength(4000)),
  CurrencyRef: Schema.optionalKey(Ref),
  Line: Schema.Array(Line)
})
export type Entry = typeof Entry.Type

/** A journal entry that QuickBooks has. */
export interface Stored {
  readonly Id: string
  readonly entry: Entry
  /** As it came, with what QuickBooks adds. */
  readonly text: string
}

const decode = Schema.decodeUnknownOption(Entry, { onExcessProperty: "error" })

/** With its numbers as the text in which they were written. */
export const entryIn = (body: string): Entry | undefined => {
  type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown
  const exact: Reviver = (_key, value, { source }) => (typeof value === "number" ? source : value)
  return Option.getOrUndefined(decode(JSON.parse(body, exact as Parameters<typeof JSON.parse>[1])))
}

export const misshapen: Fault = {
  code: "2010",
  message: "Request has invalid or unsupported property",
  detail:
    "Property Name:Can not instantiate value of type [simple type, class com.intuit.schema.finance.v3.JournalEntry]"
}

export const duplicateNumber: Fault = {
  code: "6140",
  message: "Duplicate Document Number Error",
  detail: "Duplicate Document Number Error : You must specify a different number. This number has already been used."
}

export const notFound: Fault = {
  code: "610",
  message: "Object Not Found",
  detail:
    "Object Not Found : Something you're trying to use has been made inactive. Check the fields with accounts, customers."
}

const business = (why: string): Fault => ({
  code: "6000",
  message: "A business validation error has occurred while processing your request",
  detail: `Business Validation Error: ${why}`
})

const unknownReference = (what: string, id: string): Fault => ({
  code: "2500",
  message: "Invalid Reference Id",
  detail: `Invalid Reference Id : ${what} element id ${id} not found`
})

/** In cents; undefined: more than two decimals, or not above zero. */
const centsOf = (amount: string): bigint | undefined => {
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(amount) ?? []
  const cents = whole === "" ? 0n : BigInt(whole + fraction.padEnd(2, "0"))
  return cents > 0n ? cents : undefined
}

const ofAccountType = { "Accounts Receivable": "Customer", "Accounts Payable": "Vendor" } as const

const lineFault = (
  { Amount, JournalEntryLineDetail: detail }: Entry["Line"][number],
  lists: Lists
): Fault | undefined => {
  if (centsOf(Amount) === undefined) return business("Amounts are above zero and have two decimals.")
  const account = lists.Account.find(({ Active, Id }) => Active && Id === detail.AccountRef.value)
  if (account === undefined) return unknownReference("Accounts", detail.AccountRef.value)
  const { ClassRef, DepartmentRef, Entity } = detail
  if (Entity !== undefined && !lists[Entity.Type].some(({ Id }) => Id === Entity.EntityRef.value))
    return unknownReference("Names", Entity.EntityRef.value)
  if (ClassRef !== undefined && !lists.Class.some(({ Id }) => Id === ClassRef.value))
    return unknownReference("Classes", ClassRef.value)
  if (DepartmentRef !== undefined && !lists.Department.some(({ Id }) => Id === DepartmentRef.value))
    return unknownReference("Departments", DepartmentRef.value)
  const needed = ofAccountType[account.AccountType as keyof typeof ofAccountType]
  if (needed === undefined || Entity?.Type === needed) return undefined
  return business(`When you use ${account.AccountType}, you must choose a ${needed.toLowerCase()} in the Name field.`)
}

export const faultOf = (entry: Entry, lists: Lists, currencies: { readonly isMulti: boolean }): Fault | undefined => {
  if (currencies.isMulti !== (entry.CurrencyRef !== undefined))
    return currencies.isMulti
      ? {
          code: "2020",
          message: "Required param missing, need to supply the required value for the API",
          detail: "Required parameter CurrencyRef is missing in the request"
        }
      : business("Multi currency should be enabled to perform this operation")
  const fault = entry.Line.map((line) => lineFault(line, lists)).find((found) => found !== undefined)
  if (fault !== undefined) return fault
  const sum = entry.Line.reduce((total, { Amount, JournalEntryLineDetail: { PostingType } }) => {
    const cents = centsOf(Amount) ?? 0n
    return total + (PostingType === "Debit" ? cents : -cents)
  }, 0n)
  return entry.Line.length < 2 || sum !== 0n ? business("Make sure that debits equal credits.") : undefined
}
