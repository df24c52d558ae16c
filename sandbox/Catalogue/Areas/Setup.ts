/**
 * How a project is organised: its people, places, phases and settings; and how the whole service is set up.
 */
import type { Area } from "../Table.ts"

export const setup: Area = {
  tag: "project setup",
  about: "The people, places and phases of a project.",
  table: `
project_members as members of projects | int | page
  get create update delete resend
  user_id:>users role_id:>roles joined_on:date left_on:date? receives_daily_digest:flag

locations of projects | int | link
  get create update replace delete move
  code:text name:text kind:site|building|floor|room|zone area:Quantity? outline:GeoPolygon? centre:GeoPoint?
  elevations:number[]? is_restricted:flag

phases of projects | int | whole
  get create update delete start finish
  name:text order:int planned:Period actual:Period? progress:percent weight:decimal

milestones of projects, flat | int | page
  get create update delete achieve
  title:text due_on:date forecast_on:date? achieved_on:date? status:open|achieved|missed|dropped is_contractual:flag
  liquidated_damages_per_day:money?

work_packages of projects, flat | code WP | cursor
  get create update delete award close history
  title:text scope:prose? status:draft|tendered|awarded|closed company_id:>companies? budget:money
  breakdown:Section[]? responsible:Assignee?

stakeholders of projects | int | more
  get create update delete
  party:Party interest:low|medium|high influence:low|medium|high notes:prose? engaged_on:date?

project_notes as notes of projects | uuid | cursor
  get create update delete pin
  title:text body:prose is_pinned:flag written_by:Person comments:Comment[]?
`
}

export const administration: Area = {
  tag: "administration",
  about: "How the service itself is set up.",
  table: `
custom_fields | int | whole
  get create update replace delete
  entity:text label:text type:text|number|date|choice choices:text[]? is_required:flag

workflows | int | page
  get create update delete publish retire
  name:text entity:text status:draft|published|retired steps:Step[] version:int

notification_rules | uuid | offset
  get create update replace delete
  event:text channel:email|push|sms recipients:text[] quiet_hours:text? is_enabled:flag

audit_entries "audit entry" | big | cursor
  get export
  action:text entity:text entity_id:text actor:Person ip_address:text occurred_at:time before:map? after:map?

integrations | uuid | whole
  get create update delete enable disable sync test
  name:text kind:accounting|scheduling|storage|identity status:enabled|disabled|failing settings:map?
  last_run_at:time?

holidays | int | offset
  get create delete
  name:text day:date country:country is_half_day:flag
`
}
