/**
 * Time: schedules, meetings, risks, and the handing over at the end.
 */
import type { Area } from "../Table.ts"

export const planning: Area = {
  tag: "planning",
  about: "Schedules and how far the work is.",
  table: `
schedules of projects, flat | int | page
  get create update delete publish upload download
  name:text status:draft|published|superseded data_date:date calendar:text? method:cpm|lean?

activities "activity" of schedules | code ACT | cursor
  get create update delete start finish bulk export
  name:text status:planned|started|finished planned:Period actual:Period? progress:percent total_float:int?
  is_critical:flag predecessors:text[] resource_hours:number?

progress_updates of projects | int | page
  get create update submit
  as_of:date overall:percent narrative:prose? status:draft|submitted by_phase:map? forecast_finish:date?

lookahead_tasks of projects | uuid | more
  get create update delete complete
  title:text week:text crew_id:>crews? is_ready:flag constraints:text[] status:planned|complete|slipped
`
}

export const meetings: Area = {
  tag: "meetings",
  about: "Meetings, what was said, and what follows from it.",
  table: `
meetings of projects, flat | int | page
  get create update delete publish cancel copy distribute upload download history
  title:text kind:progress|design|safety|client begins_at:time minutes:int place:text?
  status:planned|held|published|cancelled chair:Person attendees:Person[] agenda:Section[]?

meeting_items "meeting item" as items of meetings | local item_no | whole
  get create update delete
  title:text discussion:prose? decision:prose? owner:Assignee? due_on:date?

action_items of projects, also alone | int | cursor
  get create update delete complete reopen assign search statistics
  title:text status:open|complete due_on:date? assignee:Assignee? priority:low|normal|high source:text?

decisions of projects | code DEC | link
  get create
  title:text body:prose decided_on:date decided_by:Person[] reverses:text?
`
}

export const risks: Area = {
  tag: "risks",
  about: "What may happen, and what is done about it.",
  table: `
risks of projects, flat | int | page
  get create update delete close escalate history export statistics
  title:text category:cost|time|quality|safety|legal probability:percent impact:money? status:open|closed|escalated
  owner:Assignee? reviewed_on:date? scores:number[][]?

mitigations of risks | int | whole
  get create update delete complete
  title:text due_on:date? cost:money? effectiveness:percent status:planned|complete owner:Assignee?
`
}

export const handover: Area = {
  tag: "handover",
  about: "What is handed over, and what is owed afterwards.",
  table: `
assets of projects, flat, also alone | uuid | cursor
  get create update delete commission retire history search export
  tag:text name:text category:hvac|electric|plumbing|lift|fire manufacturer:text? model:text? serial_number:text?
  installed_on:date? location_id:>locations? replacement_cost:money? attributes:map?

asset_manuals as manuals of assets | int | whole
  get create delete upload download
  title:text language:text pages:int? file:Attachment?

commissioning_tests of projects | int | page
  get create update start pass fail repeat upload
  system:text status:planned|running|passed|failed witnessed_by:Inspector? result:reading? performed_on:date?

warranties "warranty" of projects | code WTY | page
  get create update delete claim download
  title:text company_id:>companies covers:text[] valid:Period terms:prose?

training_sessions of projects | int | offset
  get create update complete
  title:text held_on:date? trainer:Party attendees:Person[] status:planned|complete recording:url?

handover_packages of projects | int | more
  get create update submit accept reject download
  title:text status:draft|submitted|accepted|rejected contents:Section[] accepted_by:Approver? accepted_on:date?
`
}
