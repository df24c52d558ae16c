/**
 * The operations that aren't about records, as data: reports with rows and totals, settings, and lists of plain texts.
 * Fields are in the notation of `Fields.ts`.
 */
export interface Report {
  readonly path: `/${string}`
  readonly about: string
  readonly tag: string
  /** The fields of each row. */
  readonly rows: string
  /** The fields of the whole report. */
  readonly totals: string
}

const ofProject = "/projects/{project_id}/reports"

export const reports: ReadonlyArray<Report> = [
  {
    path: `${ofProject}/cost-summary`,
    about: "What a project has cost, by cost code",
    tag: "costs",
    rows: "cost_code:text budget:money committed:money spent:money variance:money?",
    totals: "budget:money spent:money as_of:date"
  },
  {
    path: `${ofProject}/cash-flow`,
    about: "The money in and out of a project, by month",
    tag: "costs",
    rows: "month:text inflow:money outflow:money",
    totals: "net:money as_of:date"
  },
  {
    path: `${ofProject}/earned-value`,
    about: "The earned value of a project",
    tag: "planning",
    rows: "as_of:date planned_value:money earned_value:money actual_cost:money",
    totals: "cost_index:number schedule_index:number"
  },
  {
    path: `${ofProject}/open-items`,
    about: "What is open in a project, by kind",
    tag: "meetings",
    rows: "kind:text open:int overdue:int oldest_days:int?",
    totals: "open:int overdue:int"
  },
  {
    path: `${ofProject}/rfi-turnaround`,
    about: "How long questions about the design of a project take",
    tag: "design",
    rows: "discipline:text answered:int average_days:number",
    totals: "answered:int average_days:number"
  },
  {
    path: `${ofProject}/safety`,
    about: "Hours and incidents of a project, by month",
    tag: "safety",
    rows: "month:text hours:number incidents:int observations:int",
    totals: "hours:number incidents:int frequency:number?"
  },
  {
    path: `${ofProject}/manpower`,
    about: "Workers on site, by trade",
    tag: "plant and labour",
    rows: "trade:text workers:int hours:number",
    totals: "workers:int hours:number"
  },
  {
    path: `${ofProject}/quality`,
    about: "Inspections of a project and their outcomes",
    tag: "quality",
    rows: "trade:text passed:int failed:int",
    totals: "passed:int failed:int rate:percent"
  },
  {
    path: "/reports/portfolio",
    about: "All projects at a glance",
    tag: "costs",
    rows: "id:int64 name:text value:money spent:money progress:percent",
    totals: "projects:int value:money"
  },
  {
    path: "/reports/aged-payables",
    about: "Unpaid invoices by age",
    tag: "costs",
    rows: "company:Organisation current:money days_30:money days_60:money days_90:money",
    totals: "due:money"
  },
  {
    path: "/reports/vendor-performance",
    about: "How companies perform",
    tag: "directory",
    rows: "company:text score:percent contracts:int late:int",
    totals: "companies:int"
  },
  {
    path: "/reports/equipment-utilisation",
    about: "How well the equipment is used",
    tag: "plant and labour",
    rows: "equipment:text hours:number utilisation:percent",
    totals: "hours:number"
  },
  {
    path: "/reports/carbon",
    about: "Emissions of all projects by source",
    tag: "environment",
    rows: "source:text tonnes:decimal share:percent",
    totals: "tonnes:decimal as_of:date"
  },
  {
    path: "/reports/claims",
    about: "Claims of all projects by status",
    tag: "contracts",
    rows: "status:text count:int claimed:money granted:money?",
    totals: "claimed:money"
  }
]

export interface Setting {
  readonly path: `/${string}`
  readonly about: string
  readonly tag: string
  readonly fields: string
  readonly canChange: boolean
}

export const settings: ReadonlyArray<Setting> = [
  {
    path: "/me",
    about: "the person or program that asks",
    tag: "directory",
    fields: "id:uuid name:text email:email? locale:text rights:text[]",
    canChange: false
  },
  {
    path: "/account",
    about: "the account",
    tag: "administration",
    fields: "name:text address:Address? plan:standard|premium currency:currency users:int",
    canChange: true
  },
  {
    path: "/settings",
    about: "the settings of the account",
    tag: "administration",
    fields: "time_zone:text locale:text week_begins_on:monday|sunday working_hours:number custom:map",
    canChange: true
  },
  {
    path: "/projects/{project_id}/settings",
    about: "the settings of a project",
    tag: "project setup",
    fields: "time_zone:text currency:currency retention:percent? modules:text[] numbering:map",
    canChange: true
  },
  {
    path: "/projects/{project_id}/summary",
    about: "a project in numbers",
    tag: "project setup",
    fields: "value:money progress:percent open_rfis:int open_punch_items:int next_milestone:text? client:Party?",
    canChange: false
  }
]

/** The lists of texts. */
export const lookups: ReadonlyArray<
  readonly [path: `/${string}`, about: string, tag: string, texts: ReadonlyArray<string>]
> = [
  ["/lookups/disciplines", "disciplines", "design", ["architecture", "structure", "services", "civil"]],
  ["/lookups/units", "units of quantities", "costs", ["m", "m2", "m3", "kg", "t", "h", "pcs"]],
  ["/lookups/weather", "kinds of weather", "site diary", ["sun", "cloud", "rain", "snow", "wind"]],
  ["/lookups/time-zones", "time zones", "administration", ["UTC", "Europe/Berlin", "Asia/Tokyo"]]
]
