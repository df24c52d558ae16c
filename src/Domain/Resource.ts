/**
 * The resources as data: their tables, what the columns hold and mean, and the stages of an entity's life. Nothing else
 * in the program knows an entity by name: a new entity is one row here and one row in the connector's list of event
 * types. A review file adds others at run time (`Discovery/Resources`).
 */
export type ColumnType =
  | "BIGINT"
  | "VARCHAR"
  | "DECIMAL(28,4)"
  | "DECIMAL(10,2)"
  | "TIMESTAMPTZ"
  | "DATE"
  | "JSON"
  | "BOOLEAN"
  | "DOUBLE"

/** A column of a table for analysts, the same in every engine. */
export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** Its meaning, as a sentence for people. */
  readonly says: string
  /** The schema version that added it. */
  readonly since: number
}

type Own = Omit<Column, "name">

/** A stage of an entity's life, reached once the column `at` holds a time. Stages are listed in order. */
export interface Stage {
  readonly status: string
  readonly at: string
  /** For the text "When it was last …". */
  readonly happened: string
}

export interface Resource {
  readonly name: string
  readonly says: string
  readonly key: "BIGINT" | "VARCHAR"
  /** Where the key is, if not in `id`: several columns together name a record, and this column is their text. */
  readonly keyColumn?: "_key"
  /** The service's fields. `status` is among them only where the service itself sends it. */
  readonly columns: Readonly<Record<string, Own>>
  readonly stages: ReadonlyArray<Stage>
  readonly since?: number
  /**
   * By field of the service: the column that it fills; null if it isn't kept. Rows from before the column existed have
   * it in `_extra`.
   */
  readonly fields?: ReadonlyMap<string, string | null>
  /** Fields without a column get one automatically. */
  readonly learns?: true
  /** By field: the learned column. It takes only what it holds exactly (`Fit`). */
  readonly learned?: ReadonlyMap<string, string>
  /** By column: the column beside it that takes what doesn't fit (its spill). */
  readonly spills?: ReadonlyMap<string, string>
  /** Only pages fill it, and each page has the complete record: a field that the newest page lacks is null. */
  readonly isWhole?: true
  /** Lists inside its records that are tables, too. */
  readonly nested?: ReadonlyArray<Nested>
}

/** A list inside a record, whose items are rows of a table of their own. */
export interface Nested {
  /** The name of the table. */
  readonly name: string
  readonly says: string
  /** The record's column that has the list as JSON. */
  readonly column: string
  /** `from`: the JSON Pointer to the value within an item. */
  readonly columns: ReadonlyArray<{
    readonly name: string
    readonly type: ColumnType
    readonly says: string
    readonly from: string
  }>
  /** The fields of an item that aren't kept. */
  readonly dropped: ReadonlyArray<string>
}

const of =
  (type: ColumnType) =>
  (says: string, since = 1): Own => ({ type, says, since })
const [text, number, money, date] = [of("VARCHAR"), of("BIGINT"), of("DECIMAL(28,4)"), of("DATE")]
const [hours, time, json] = [of("DECIMAL(10,2)"), of("TIMESTAMPTZ"), of("JSON")]

/** Columns that every entity table has besides its own. */
export const commonColumns: Readonly<Record<string, Own>> = {
  _extra: json("Fields that have no column, and values that don't fit their column, as JSON."),
  _clocks: json("For each field, when and by what it was last set, as JSON; this settles the order of events."),
  _first_seen_at: time("When siteledger first heard of it."),
  _changed_at: time("When siteledger last changed the row."),
  _deleted_at: time("When the service's list stopped showing it; null while it is listed.")
}

const nestedRows: Readonly<Record<string, Own>> = {
  _nested: json("The rows of the tables that are made of its lists, by table, as JSON.")
}

const project = number("The project it belongs to (projects.id).")
const stages = (...names: ReadonlyArray<string>): ReadonlyArray<Stage> =>
  names.map((status) => ({ status, at: `${status}_at`, happened: status }))

export const resources = {
  projects: {
    name: "projects",
    says: "Construction projects, from the service's list.",
    key: "BIGINT",
    columns: { name: text("Its name."), status: text("The status, in the service's words.") },
    stages: []
  },
  ipcs: {
    name: "ipcs",
    says: "Interim payment certificates.",
    key: "VARCHAR",
    columns: {
      project_id: project,
      draft_amount: money("The amount when it was created."),
      submitter: text("Who submitted it."),
      submitted_amount: money("The amount that was submitted."),
      certified_amount: money("The amount that was certified."),
      certificate_url: text("The certificate's URL."),
      payment_reference: text("The payment's reference."),
      paid_amount: money("The amount that was paid, if its event says it.", 3)
    },
    stages: stages("created", "submitted", "certified", "paid")
  },
  vos: {
    name: "vos",
    says: "Variation orders.",
    key: "VARCHAR",
    columns: {
      project_id: project,
      description: text("What changes."),
      total_cost_impact: money("The amount it was priced at."),
      final_amount: money("The amount that was agreed."),
      time_impact: text("Its effect on the programme, in the service's words."),
      boq_revision: text("The revision of the bill of quantities that absorbed it.")
    },
    stages: stages("created", "priced", "agreed", "absorbed")
  },
  ncrs: {
    name: "ncrs",
    says: "Non-conformance reports.",
    key: "VARCHAR",
    columns: {
      project_id: project,
      severity: text("How severe, in the service's words."),
      closure_date: date("The closure date, as given by the service.")
    },
    stages: [{ status: "open", at: "created_at", happened: "opened" }, ...stages("closed")]
  },
  hse_incidents: {
    name: "hse_incidents",
    says: "Health, safety and environment incidents.",
    key: "VARCHAR",
    columns: { classification: text("The kind of incident, in the service's words.") },
    stages: stages("reported")
  },
  permits: {
    name: "permits",
    says: "Permits to work.",
    key: "VARCHAR",
    columns: {
      permit_type: text("The kind of permit, in the service's words."),
      validity: text("How long it is valid, in the service's words."),
      hours_until_expiry: hours("Hours left when the service warned that it expires.")
    },
    stages: [...stages("issued"), { status: "expiring", at: "expiring_at", happened: "reported to expire soon" }]
  },
  transmittals: {
    name: "transmittals",
    says: "Transmittals of documents.",
    key: "VARCHAR",
    columns: {
      recipients: json("Who it was sent to, as JSON."),
      document_count: number("How many documents it holds.")
    },
    stages: stages("sent")
  }
} as const satisfies Record<string, Resource>

export type EntityName = keyof typeof resources

/** The resource with this name. */
export const byName = (name: string): Resource => {
  if (!Object.hasOwn(resources, name)) throw new Error(`There is no resource ${name}`)
  return resources[name as EntityName]
}

export const entityNames = Object.keys(resources) as ReadonlyArray<EntityName>

const furthest = (reached: ReadonlyArray<Stage>): Own => {
  const words = reached.map(({ status }) => status)
  const listed = [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(" or ")
  return text(`The furthest stage reached (it never goes back): ${listed}.`)
}

/** The `status` of a row: the furthest stage that it has reached. */
export const furthestStage = ({ stages }: Resource, row: Readonly<Record<string, string | null>>): string | null =>
  stages.findLast(({ at }) => row[at] != null)?.status ?? null

/** The column whose value names a record. */
export const keyColumn = ({ keyColumn: column }: Pick<Resource, "keyColumn">): "id" | "_key" => column ?? "id"

const keys = {
  id: "The service's id.",
  _key: "What names the record: its key columns, as text, with a slash between them."
}

const columnsOf = (resource: Resource): ReadonlyArray<Column> => {
  const { columns, key, since: oldest = 1, stages: reached } = resource
  const named = keyColumn(resource)
  return Object.entries({
    [named]: of(key)(keys[named]),
    ...(reached.length > 0 ? { status: furthest(reached) } : {}),
    ...columns,
    ...Object.fromEntries(
      reached.map(({ at, happened }) => [at, time(`When it was last ${happened}, by the service's clock.`)])
    ),
    ...commonColumns,
    ...(resource.nested === undefined ? {} : nestedRows)
  })
    .map(([name, column]) => ({ ...column, name, since: Math.max(column.since, oldest) }))
    .toSorted((a, b) => a.since - b.since)
}

const knownColumns = new WeakMap<Resource, ReadonlyArray<Column>>()

/** Every column of an entity's table, with those of later versions last. Cached, because every row needs it. */
export const tableColumns = (resource: Resource): ReadonlyArray<Column> => {
  const known = knownColumns.get(resource) ?? columnsOf(resource)
  knownColumns.set(resource, known)
  return known
}

export const isMoney = (type: ColumnType): boolean => type === "DECIMAL(28,4)"
