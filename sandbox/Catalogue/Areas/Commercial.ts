/**
 * Money: contracts, budgets, changes, purchasing and tendering.
 */
import type { Area } from "../Table.ts"

export const contracts: Area = {
  tag: "contracts",
  about: "Contracts, what they are paid for, and what changes them.",
  table: `
contracts of projects, flat | int | page
  get create update delete submit approve terminate upload download history search export
  number:text title:text company_id:>companies status:draft|submitted|approved|terminated
  type:lump-sum|remeasured|cost-plus value:money retention:percent? signed_on:date? parties:Party[]?
  signatures:Signature[]? address:Address?

contract_lines as lines of contracts | local line_no | page
  get create update delete
  description:prose cost_code_id:>cost_codes? quantity:Quantity? unit_price:decimal value:money

claims of contracts, flat | code CLM | cursor
  get create update submit accept reject withdraw upload history
  title:text grounds:prose status:draft|submitted|accepted|rejected claimed:money granted:money? days_claimed:int?
  days_granted:int? assessed_by:Approver?

change_events of projects, flat | code CE | page
  get create update delete price void history statistics
  title:text reason:client|design|site|authority status:open|priced|void estimate:money? costs:Cost[]?
  raised_by:Person rfi_id:>rfis?

change_orders of projects, flat | int | page
  get create update submit approve reject void download history export
  number:text title:text status:draft|submitted|approved|rejected|voided amount:money days:int?
  contract_id:>contracts change_event_ids:text[] approved_by:Approver?

change_order_lines as lines of change_orders | local line_no | whole
  get create update delete
  description:prose amount:money cost_code_id:>cost_codes?
`
}

export const costs: Area = {
  tag: "costs",
  about: "Budgets, bills of quantities, invoices and payments.",
  table: `
cost_codes | int | link
  get create update delete
  code:text title:text category:labour|material|equipment|subcontract|other sections:Section[]?

budgets of projects | int | whole
  get create update approve lock unlock history
  name:text status:draft|approved|locked original:money revised:money? approved_on:date?

budget_lines as lines of budgets | int | page
  get create update delete transfer bulk export
  cost_code_id:>cost_codes original:money revised:money? committed:money spent:money forecast:money? remarks:prose?

boqs "BOQ" of projects, flat | int | page
  get create update delete revise download
  title:text revision:text status:draft|issued|superseded total:money? sections:Section[]?

boq_items "BOQ item" as items of boqs | local item_no | page
  get create update delete bulk
  description:prose quantity:Quantity rate:decimal amount:money is_provisional:flag

invoices of projects, also alone | int64 | page
  get create update submit approve reject void pay upload download search export history statistics
  number:text company_id:>companies contract_id:>contracts? status:draft|submitted|approved|rejected|paid net:money
  tax:money? gross:money currency:currency issued_on:date due_on:date? references:text[]?

invoice_lines as lines of invoices | local line_no | whole
  get create update delete
  description:prose amount:money tax_rate:percent? cost_code_id:>cost_codes?

payments | uuid | cursor
  get create void reconcile export
  invoice_id:>invoices amount:money currency:currency paid_on:date method:transfer|cheque|card reference:text?

exchange_rates | int | offset
  get create
  from_currency:currency to_currency:currency rate:decimal day:date source:text?

cash_forecasts of projects | int | more
  get create update delete
  month:text inflow:money outflow:money confidence:percent? assumptions:prose?
`
}

export const purchasing: Area = {
  tag: "purchasing",
  about: "Tenders, bids and purchase orders.",
  table: `
tenders of projects, flat | code TND | page
  get create update delete publish close award extend upload history
  title:text status:draft|published|closed|awarded opens_at:time closes_at:time estimate:money? invited:Party[]?
  criteria:map?

bids of tenders | int | page
  get create update submit withdraw accept decline
  company_id:>companies amount:money status:draft|submitted|withdrawn|accepted|declined valid_until:date?
  costs:Cost[]? remarks:prose?

purchase_orders of projects, also alone | code PO | page
  get create update submit approve cancel receive download search history export
  company_id:>companies status:draft|submitted|approved|received|cancelled total:money currency:currency
  deliver_to:Address? deliver_on:date? ordered_by:Person terms:prose?

purchase_order_lines as lines of purchase_orders | local line_no | whole
  get create update delete
  material_id:>materials? description:text quantity:Quantity unit_price:decimal amount:money received:Quantity?
`
}
