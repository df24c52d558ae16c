/**
 * Who takes part: companies, people, and what they are qualified for.
 */
import type { Area } from "../Table.ts"

export const directory: Area = {
  tag: "directory",
  about: "Companies and people, and what they are qualified for.",
  table: `
companies "company" | int | page
  get create update delete archive restore merge history search export
  name:text trading_as:text? kind:contractor|consultant|supplier|client|authority tax_number:text? address:Address?
  phone:phone? website:url? payment_terms_days:int? is_active:flag labels:text[] custom_fields:map?

company_offices as offices of companies | int | whole
  get create update delete
  name:text address:Address is_head_office:flag phone:phone? location:GeoPoint?

contacts of companies, flat | uuid | cursor
  get create update delete
  first_name:text last_name:text email:email? phone:phone? job_title:text? languages:text[]? is_primary:flag

insurance_policies "insurance policy" of companies | int | page
  get create update delete renew upload
  number:text insurer:text cover:liability|professional|works|vehicle|accident limit:money valid:Period excess:money?
  verified_by:Approver?

prequalifications of companies | code PQ | page
  get create update submit approve reject
  trade_id:>trades status:draft|submitted|approved|rejected score:percent? turnover:money? valid_until:date?
  answers:map? reviewed_by:Person?

users | uuid | page
  get create update delete invite suspend reactivate unlock history
  name:text email:email job_title:text? company_id:>companies? phone:phone? locale:text time_zone:text
  last_seen_at:time? is_administrator:flag preferences:map?

user_certificates as certificates of users | int | cursor
  get create delete upload
  title:text issuer:text number:text? valid:Period level:basic|advanced|instructor?

teams | int | offset
  get create update replace delete
  name:text purpose:prose? lead:Person? labels:text[]

team_members as members of teams | int | whole
  get create delete
  user_id:>users part:lead|member|observer since:date

roles | code ROLE | whole
  get create update replace delete
  name:text rights:text[] is_built_in:flag

trades | int | link
  get
  name:text code:text parent_code:text? hourly_rate:money?
`
}
