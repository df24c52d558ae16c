/**
 * The resources as data: which tables there are, what their columns hold, and the stages of a life.
 * Nothing else in the program knows an entity by name, so a new one is a row here and a row in the
 * connector's list of event types.
 *
 * Column types are those of design's warehouse contract: money is DECIMAL(28,4), never a float.
 */
import * as Amount from "./Amount.ts"
import * as Instant from "./Instant.ts"
import * as Json from "./Json.ts"

export type ColumnType = "BIGINT" | "VARCHAR" | "DECIMAL(28,4)" | "DECIMAL(10,2)" | "TIMESTAMPTZ" | "DATE" | "JSON"

/** A stage of a life: reached when `at` holds the time it last happened. Later stages come later in the list. */
export interface Stage {
  readonly status: string
  readonly at: string
}

export interface Resource {
  readonly name: string
  readonly key: "BIGINT" | "VARCHAR"
  /** What the service says, column by column. `status` is among them only where the service gives the word. */
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly stages: ReadonlyArray<Stage>
}

/** Columns that every entity table has beside its own. */
export const commonColumns = {
  _extra: "JSON",
  _clocks: "JSON",
  _first_seen_at: "TIMESTAMPTZ",
  _changed_at: "TIMESTAMPTZ",
  _deleted_at: "TIMESTAMPTZ"
} as const satisfies Record<string, ColumnType>

const stages = (...names: ReadonlyArray<string>): ReadonlyArray<Stage> =>
  names.map((status) => ({ status, at: `${status}_at` }))

export const resources = {
  projects: { name: "projects", key: "BIGINT", columns: { name: "VARCHAR", status: "VARCHAR" }, stages: [] },
  ipcs: {
    name: "ipcs",
    key: "VARCHAR",
    columns: {
      project_id: "BIGINT",
      draft_amount: "DECIMAL(28,4)",
      submitter: "VARCHAR",
      submitted_amount: "DECIMAL(28,4)",
      certified_amount: "DECIMAL(28,4)",
      certificate_url: "VARCHAR",
      payment_reference: "VARCHAR"
    },
    stages: stages("created", "submitted", "certified", "paid")
  },
  vos: {
    name: "vos",
    key: "VARCHAR",
    columns: {
      project_id: "BIGINT",
      description: "VARCHAR",
      total_cost_impact: "DECIMAL(28,4)",
      final_amount: "DECIMAL(28,4)",
      time_impact: "VARCHAR",
      boq_revision: "VARCHAR"
    },
    stages: stages("created", "priced", "agreed", "absorbed")
  },
  ncrs: {
    name: "ncrs",
    key: "VARCHAR",
    columns: { project_id: "BIGINT", severity: "VARCHAR", closure_date: "DATE" },
    stages: [
      { status: "open", at: "created_at" },
      { status: "closed", at: "closed_at" }
    ]
  },
  hse_incidents: {
    name: "hse_incidents",
    key: "VARCHAR",
    columns: { classification: "VARCHAR" },
    stages: stages("reported")
  },
  permits: {
    name: "permits",
    key: "VARCHAR",
    columns: { permit_type: "VARCHAR", validity: "VARCHAR", hours_until_expiry: "DECIMAL(10,2)" },
    stages: stages("issued", "expiring")
  },
  transmittals: {
    name: "transmittals",
    key: "VARCHAR",
    columns: { recipients: "JSON", document_count: "BIGINT" },
    stages: stages("sent")
  }
} as const satisfies Record<string, Resource>

export type EntityName = keyof typeof resources

export const byName = (name: EntityName): Resource => resources[name]

export const entityNames = Object.keys(resources) as ReadonlyArray<EntityName>

type Columns = ReadonlyArray<readonly [string, ColumnType]>

const columnsOf = (resource: Resource): Columns => [
  ["id", resource.key],
  ...(resource.stages.length > 0 ? [["status", "VARCHAR"] as const] : []),
  ...Object.entries(resource.columns),
  ...resource.stages.map((stage) => [stage.at, "TIMESTAMPTZ"] as const),
  ...Object.entries(commonColumns)
]

const knownColumns = new WeakMap<Resource, Columns>()

/** Every column of an entity's table in order, with its type; made once, as it is asked for with every row. */
export const tableColumns = (resource: Resource): Columns => {
  const known = knownColumns.get(resource) ?? columnsOf(resource)
  knownColumns.set(resource, known)
  return known
}

export const isMoney = (type: ColumnType): boolean => type === "DECIMAL(28,4)"

/**
 * What a JSON value says for a column, as canonical text; `undefined` when it doesn't fit. Null is a value:
 * it says that there is none.
 */
export const readValue = (type: ColumnType, value: unknown): string | null | undefined => {
  if (value === null) return null
  switch (type) {
    case "VARCHAR":
      return readText(value)
    case "BIGINT":
      return readInteger(value)
    case "DECIMAL(28,4)":
      return Amount.read(value, Amount.Money)
    case "DECIMAL(10,2)":
      return Amount.read(value, { digits: 10, scale: 2 })
    case "DATE":
      return Instant.readDate(value)
    case "TIMESTAMPTZ": {
      const micros = Instant.readMicros(value)
      return micros === undefined ? undefined : Instant.fromMicros(micros)
    }
    case "JSON":
      return Json.stringify(value)
  }
}

/** Numbers and booleans keep their JSON text: a revision `7` is the text "7". */
const readText = (value: unknown): string | undefined => {
  if (typeof value === "string") return value.toWellFormed()
  return typeof value === "boolean" ? String(value) : Json.numberText(value)
}

const readInteger = (value: unknown): string | undefined => {
  if (Number.isSafeInteger(value)) return String(value)
  const text = typeof value === "string" ? value : Json.numberText(value)
  if (text === undefined || !/^-?\d{1,19}$/.test(text)) return undefined
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? String(integer) : undefined
}

/** An entity's id: a string or an integer, as text; `undefined` when it is no usable key of the resource. */
export const readKey = (resource: Resource, value: unknown): string | undefined => {
  if (resource.key === "BIGINT") return readInteger(value)
  if (typeof value === "string") return value === "" ? undefined : value.toWellFormed()
  const text = Json.numberText(value)
  return text !== undefined && /^-?\d+$/.test(text) ? text : undefined
}
