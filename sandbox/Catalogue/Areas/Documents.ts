/**
 * Documents, drawings, submittals and questions about the design.
 */
import type { Area } from "../Table.ts"

export const documents: Area = {
  tag: "documents",
  about: "Folders, documents and drawings.",
  table: `
folders of projects | int | whole
  get create update delete move
  name:text path:text parent_id:int64? is_private:flag

documents of projects, flat, also alone | uuid | cursor
  get create update delete lock unlock copy publish upload download history search export
  title:text file_name:text media_type:text bytes:int64 folder_id:>folders? revision:text?
  status:draft|shared|published|archived is_locked:flag author:Person labels:text[]? properties:map?

document_versions as versions of documents | local version | link
  get restore download
  file_name:text bytes:int64 checksum:text uploaded_by:Person uploaded_at:time remarks:prose?

document_approvals as approvals of documents | int | whole
  get create approve reject
  approver:Approver status:waiting|approved|rejected due_on:date? decided_at:time? remarks:prose?

drawing_sets of projects | int | page
  get create update delete publish
  title:text discipline:architecture|structure|services|civil issued_on:date? purpose:tender|construction|as-built

drawings of drawing_sets | int | page
  get create update delete upload download history search
  number:text title:text revision:text scale:text? size:A0|A1|A2|A3? sheet:int? coordinates:number[][]?

drawing_markups as markups of drawings | uuid | cursor
  get create update delete
  shape:cloud|arrow|text|measure points:number[][] text:prose? colour:text made_by:Person

specifications of projects | int | link
  get create update delete upload
  section:text title:text revision:text? clauses:Section[]?

submittals of projects, flat | int | page
  get create update delete submit distribute close reopen void upload history search export statistics
  number:text title:text type:shop-drawing|sample|product-data|method status:draft|submitted|in-review|closed
  specification_id:>specifications? due_on:date? ball_in_court:Assignee? lead_days:int?

submittal_reviews as reviews of submittals | int | whole
  get create update
  reviewer:Person outcome:approved|approved-as-noted|revise|rejected? remarks:prose? returned_on:date?

letters of projects | code LTR | more
  get create update send upload download
  subject:text body:prose direction:in|out from_party:Party to_parties:Party[] sent_at:time? replies_to:text?

distribution_lists of projects | int | whole
  get create replace delete
  name:text recipients:Person[] purpose:text?
`
}

export const design: Area = {
  tag: "design",
  about: "Questions about the design, its models and its reviews.",
  table: `
rfis "RFI" of projects, flat, also alone | int | cursor
  get create update delete submit close reopen assign void upload history search export statistics
  number:text subject:text question:prose status:draft|open|answered|closed priority:low|normal|high? due_on:date?
  cost_impact:money? schedule_impact_days:int? assignee:Assignee? watchers:Person[] location_id:>locations?
  discipline:text? custom_fields:map?

rfi_responses "RFI response" as responses of rfis | int | whole
  get create update accept
  body:prose author:Person is_official:flag attachments:Attachment[]?

models "model" of projects | uuid | offset
  get create update delete reprocess upload download
  name:text discipline:architecture|structure|services|civil format:ifc|rvt|nwd bytes:int64
  status:processing|ready|failed extent:number[][]?

clashes "clash" of models | int64 | cursor
  get update resolve ignore assign reopen
  severity:minor|major|critical status:new|resolved|ignored distance:number point:GeoPoint? elements:text[]
  found_at:time assignee:Assignee?

design_reviews of projects | int | page
  get create update delete start finish
  title:text stage:concept|scheme|detail|construction status:planned|running|finished chair:Person reviewers:Person[]
  held_on:date?

review_comments of design_reviews | int | link
  get create update delete resolve
  body:prose status:open|resolved severity:note|minor|major author:Person thread:Comment[]?
`
}
