/**
 * Quality, safety and the environment.
 */
import type { Area } from "../Table.ts"

export const quality: Area = {
  tag: "quality",
  about: "Inspections, tests and what they find.",
  table: `
inspection_templates | int | page
  get create update delete copy
  title:text trade_id:>trades? version:int questions:Section[] is_published:flag

inspections of projects, flat, also alone | int | page
  get create update delete start complete sign void upload history search statistics export
  number:text template_id:>inspection_templates status:planned|running|passed|failed|void scheduled_on:date?
  inspector:Inspector? location_id:>locations? score:percent? signatures:Signature[]?

inspection_items as items of inspections | local item_no | whole
  get update
  question:text answer:yes|no|not-applicable? remarks:prose? value:reading? photos:Attachment[]?

punch_items of projects, flat | int | cursor
  get create update delete assign resolve close reopen upload bulk export search statistics
  number:int title:text description:prose? status:open|resolved|closed priority:low|normal|high due_on:date?
  assignee:Assignee? location_id:>locations? cost:money? photos:Attachment[]?

defects of projects | uuid | page
  get create update delete accept resolve reject reopen upload export statistics
  title:text severity:cosmetic|functional|structural status:reported|accepted|resolved|rejected reported_by:Party
  found_on:date warranty_id:>warranties? responsible_id:>companies? comments:Comment[]?

lab_tests of projects | code LAB | link
  get create update approve upload download
  kind:concrete|steel|soil|asphalt sample:text taken_on:date result:reading? is_passed:flag? laboratory:text
  limits:number[]?

checklists of projects | int | offset
  get create update replace delete complete
  title:text items:Section[] status:open|complete completed_on:date? completed_by:Person?

test_plans "inspection and test plan" of projects | int | more
  get create update replace approve
  title:text revision:text status:draft|approved steps:Step[] hold_points:int

material_approvals of projects | int | page
  get create update approve reject upload
  material_id:>materials manufacturer:text status:requested|approved|rejected sample_received_on:date? remarks:prose?
`
}

export const safety: Area = {
  tag: "safety",
  about: "Hazards, observations and how work is made safe.",
  table: `
hazards of projects | int | page
  get create update delete control close history statistics
  title:text category:height|electric|lifting|traffic|chemical likelihood:int severity:int
  status:open|controlled|closed location_id:>locations? owner:Assignee?

risk_assessments of projects | code RA | page
  get create update approve revise submit download
  title:text activity:text status:draft|approved|superseded hazards:Section[] residual_risk:low|medium|high
  review_on:date?

method_statements of projects | int | whole
  get create update submit approve upload download
  title:text revision:text status:draft|submitted|approved steps:Step[] equipment:text[]?

safety_observations of projects, flat | int | cursor
  get create update assign close upload statistics
  kind:positive|unsafe-act|unsafe-condition description:prose observed_at:time observed_by:Person? status:open|closed
  position:GeoPoint? photos:Attachment[]?

toolbox_talks of projects | int | link
  get create update delete sign
  topic:text held_at:time held_by:Person attendees:Person[] minutes:int signatures:Signature[]?

near_misses "near miss" of projects | int64 | more
  get create update investigate close
  description:prose happened_at:time potential:minor|serious|fatal status:reported|investigated|closed causes:text[]?
`
}

export const environment: Area = {
  tag: "environment",
  about: "Waste, emissions and consumption.",
  table: `
waste_records of projects | int | page
  get create update delete upload export
  kind:inert|mixed|hazardous|metal|wood quantity:Quantity carrier_id:>companies? removed_on:date recycled:percent?
  cost:money?

emission_readings of projects | big | cursor
  measured_at:time kind:noise|dust|vibration|co2 value:reading limit:decimal? station:text position:GeoPoint?
`
}
