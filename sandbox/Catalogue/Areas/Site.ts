/**
 * What happens on site: the diary, people, plant and materials.
 */
import type { Area } from "../Table.ts"

export const site: Area = {
  tag: "site diary",
  about: "What happened on site, day by day.",
  table: `
daily_logs of projects, flat | int | page
  get create update delete submit approve reopen lock upload history search export
  day:date status:draft|submitted|approved summary:prose? weather:sun|cloud|rain|snow|wind? temperature:number?
  hours_lost:number? written_by:Person approved_by:Approver?

daily_log_entries "daily log entry" as entries of daily_logs | int | whole
  get create update delete
  kind:work|delay|visitor|delivery|note text:prose hours:number? workers:int? location_id:>locations?

weather_readings of projects | big | cursor
  taken_at:time temperature:number wind:number? humidity:percent? rainfall:decimal? station:text

site_photos of projects | uuid | link
  get update delete upload download
  caption:text? taken_at:time taken_by:Person? position:GeoPoint? width:int height:int labels:text[]

visitors of projects | int | more
  get create update
  name:text company:text? host:Person arrived_at:time left_at:time? badge:text?

material_deliveries "material delivery" of projects | code DLV | page
  get create update accept reject cancel upload
  purchase_order_id:>purchase_orders? status:expected|accepted|rejected arrived_at:time? vehicle:text?
  items:Quantity[] checked_by:Person?

concrete_pours of projects | int | offset
  get create update delete
  element:text volume:Quantity mix:text slump:number? poured_at:time temperature:reading? samples:text[]?

delay_notices of projects | int | page
  get create update submit withdraw
  cause:weather|client|supplier|authority|other description:prose days:int status:draft|submitted|withdrawn
  period:Period

instructions "site instruction" of projects, flat | code SI | page
  get create update issue acknowledge void upload download
  title:text body:prose status:draft|issued|acknowledged|void issued_by:Person? issued_to:Party? cost_impact:money?
`
}

export const plant: Area = {
  tag: "plant and labour",
  about: "Equipment, materials, crews and the hours they work.",
  table: `
equipment "machine" | code EQ | page
  get create update delete retire history search
  name:text category:crane|excavator|lift|vehicle|tool status:available|in-use|in-repair|retired owner_id:>companies?
  serial_number:text? hourly_rate:money? purchased_on:date? position:GeoPoint?

equipment_bookings as bookings of equipment | int | page
  get create update delete confirm cancel
  project_id:>projects period:Period status:requested|confirmed|returned booked_by:Person hours:number?

equipment_inspections as inspections of equipment | int | whole
  get create upload
  inspected_on:date inspector:Inspector is_safe:flag next_due_on:date? remarks:prose?

materials | int | page
  get create update delete search
  code:text name:text unit:m|m2|m3|kg|t|h|pcs price:money? supplier_id:>companies? carbon_factor:decimal?
  data_sheet:Attachment?

crews of projects | int | whole
  get create update delete
  name:text trade_id:>trades foreman:Person size:int

workers | uuid | cursor
  get create update delete induct suspend reinstate upload search export
  first_name:text last_name:text company_id:>companies trade_id:>trades status:expected|inducted|suspended|left
  card_number:text? birth_year:int? emergency_contact:Person? nationality:country?

timesheets of projects, also alone | int | page
  get create update submit approve reject export statistics
  worker_id:>workers week:text status:draft|submitted|approved|rejected total_hours:number costs:Cost[]?

timesheet_entries "timesheet entry" as entries of timesheets | int | whole
  get create update delete
  day:date hours:number overtime:number? cost_code_id:>cost_codes activity:text?
`
}
