/**
 * The records of Tryton's stand-in: a company with its chart, and account moves that keep Tryton's rules as far as posting
 * needs them. Related records are nested, as Tryton's JSON-RPC shows them if a field is asked for with a point.
 */
export interface Row {
  readonly id: number
  readonly [field: string]: unknown
}

export interface Line extends Row {
  readonly account: number
  readonly debit: { readonly decimal: string }
  readonly credit: { readonly decimal: string }
  readonly party?: number
  readonly description?: string
}

export interface Move extends Row {
  description: string
  date: unknown
  state: "draft" | "posted"
  origin: string | null
  lines: Array<Line>
  _timestamp: string
}

/** As Tryton answers instead of a result. */
export class Failure extends Error {
  readonly error: unknown
  constructor(error: unknown) {
    super(JSON.stringify(error))
    this.error = error
  }
}

export const userError = (message: string, description = "") => ["UserError", [message, description, null]]

const related = (id: number) => ({ id })
const day = (text: string) => {
  const [year, month, date] = text.split("-").map(Number)
  return { __class__: "date", year, month, day: date }
}

/** Tryton's numbers differ from the codes, as they do there. */
const tables = (): Record<string, Array<Row>> => ({
  "company.company": [{ id: 1, party: { id: 1, name: "North Ltd" }, currency: { id: 3, code: "EUR", digits: 2 } }],
  "account.journal": [
    { id: 4, code: "CASH" },
    { id: 5, code: "MISC" }
  ],
  "account.period": [
    period(11, "2026-02-01", "2026-02-28", "close"),
    period(12, "2026-03-01", "2026-03-31", "open"),
    { ...period(13, "2026-03-31", "2026-03-31", "open"), type: "adjustment" }
  ],
  "account.account": [
    { id: 19, code: "1", company: related(1), type: null, party_required: false },
    { id: 20, code: "1001", company: related(1), type: 9, closed: true, party_required: false },
    { id: 21, code: "1000", company: related(1), type: 9, party_required: false },
    { id: 22, code: "1400", company: related(1), type: 9, party_required: 1 },
    { id: 23, code: "4000", company: related(1), type: 9, party_required: false },
    { id: 24, code: "4000", company: related(2), type: 9, party_required: false }
  ],
  "party.party": [
    { id: 31, name: "City of Springfield" },
    { id: 32, name: "Twin" },
    { id: 33, name: "Twin" }
  ]
})

const period = (id: number, start: string, end: string, state: string): Row => ({
  id,
  type: "standard",
  state,
  fiscalyear: { id: 10, company: related(1) },
  start_date: day(start),
  end_date: day(end)
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const plain = (value: unknown): unknown => {
  if (!isObject(value)) return value
  if (value["__class__"] !== "date") return value["id"]
  return [value["year"], value["month"], value["day"]].map((part) => String(part).padStart(4, "0")).join("-")
}

const at = (row: unknown, path: ReadonlyArray<string>): unknown =>
  path.length === 0 ? row : at(isObject(row) ? row[path[0] ?? ""] : undefined, path.slice(1))

const operators: Readonly<Record<string, (own: unknown, value: unknown) => boolean>> = {
  "=": (own, value) => plain(own) === plain(value),
  "!=": (own, value) => (plain(own) ?? null) !== value,
  "<=": (own, value) => String(plain(own)) <= String(plain(value)),
  ">=": (own, value) => String(plain(own)) >= String(plain(value)),
  in: (own, value) => (value as ReadonlyArray<unknown>).includes(plain(own)),
  like: (own, value) => String(own).includes(String(value).replaceAll("%", ""))
}

const fits = (row: Row, domain: ReadonlyArray<readonly [string, string, unknown]>): boolean =>
  domain.every(([field, operator, value]) => {
    const compare = operators[operator]
    if (compare === undefined) throw new Failure([`unknown operator ${operator}`, ""])
    return compare(at(row, field.split(".")), value)
  })

/** What Tryton shows of a row. */
const shown = (row: Row, fields: ReadonlyArray<string>): Row => {
  const seen: Record<string, unknown> = {}
  for (const field of fields) {
    const [name = "", rest] = field.split(".")
    const own = row[name]
    if (rest === undefined) seen[name] = plain(own)
    else if (Array.isArray(own))
      seen[`${name}.`] = own.map((each: Row, index) => ({
        ...(seen[`${name}.`] as ReadonlyArray<Row> | undefined)?.[index],
        id: each.id,
        [rest]: each[rest]
      }))
    else seen[`${name}.`] = { ...(seen[`${name}.`] as Row | undefined), id: (own as Row).id, [rest]: at(own, [rest]) }
  }
  return { ...seen, id: row.id }
}

export class StandInBooks {
  readonly tables = tables()
  readonly moves: Array<Move> = []
  /** Of the user. */
  preferences: Readonly<Record<string, unknown>> = { companies: [1], company: 1, company_filter: "one" }
  /** What no client should send. */
  readonly complaints: Array<string> = []
  #clock = 0

  get filled(): ReadonlyArray<Move> {
    return this.moves.filter(({ lines }) => lines.length > 0)
  }

  table(model: string): Array<Row> {
    const rows = this.tables[model]
    if (rows === undefined) throw new Failure([`unknown model ${model}`, ""])
    return rows
  }

  searchRead(model: string, domain: Parameters<typeof fits>[1], fields: ReadonlyArray<string>): ReadonlyArray<Row> {
    const rows = model === "account.move" ? this.moves : this.table(model)
    return rows.filter((row) => fits(row, domain)).map((row) => shown(row, fields))
  }

  create(values: Readonly<Record<string, unknown>>): number {
    const period = this.table("account.period").find(({ id }) => id === values["period"])
    const isInside =
      operators["<="]?.(period?.["start_date"], values["date"]) &&
      operators[">="]?.(period?.["end_date"], values["date"])
    if (period?.["state"] !== "open" || isInside !== true)
      throw new Failure(userError("The date is outside the period."))
    if (values["journal"] === undefined || "lines" in values) this.complaints.push(`create ${JSON.stringify(values)}`)
    return this.add({ ...values })
  }

  /** As a person does, too. */
  add(values: Readonly<Record<string, unknown>>): number {
    const id = 101 + this.moves.length
    const move = { origin: null, state: "draft", lines: [], ...values, company: related(1), id } as unknown as Move
    this.moves.push(this.#touched(move))
    return id
  }

  write(
    ids: ReadonlyArray<number>,
    values: Readonly<Record<string, unknown>>,
    seen: Readonly<Record<string, unknown>>
  ): void {
    for (const id of ids) {
      const move = this.#move(id)
      const key = `account.move,${id}`
      if (key in seen && seen[key] !== move._timestamp)
        throw new Failure(["ConcurrencyException", "Records were modified in the meanwhile"])
      for (const [action, lines] of values["lines"] as ReadonlyArray<[string, ReadonlyArray<Line>]>) {
        if (action !== "create") this.complaints.push(`write ${action}`)
        for (const line of lines) move.lines.push(this.#checked(line, move))
      }
      this.#touched(move)
    }
  }

  post(ids: ReadonlyArray<number>): void {
    for (const id of ids) {
      const move = this.#move(id)
      if (move.lines.length === 0) throw new Failure(userError("You cannot post a move without lines."))
      this.#touched(Object.assign(move, { state: "posted" as const }))
    }
  }

  #move(id: number): Move {
    const move = this.moves.find((each) => each.id === id)
    if (move === undefined) throw new Failure(userError(`You are not allowed to access record ${id}.`))
    return move
  }

  #checked(line: Line, move: Move): Line {
    const account = this.table("account.account").find(({ id }) => id === line.account)
    if (account === undefined || Boolean(account["party_required"]) !== (line.party !== undefined))
      throw new Failure(userError(`The party doesn't fit the account of a line.`))
    for (const { decimal } of [line.debit, line.credit])
      if (!/^\d+\.\d\d$/.test(decimal)) this.complaints.push(`an amount of ${decimal}`)
    return { ...line, id: 1000 * move.id + move.lines.length }
  }

  #touched(move: Move): Move {
    this.#clock += 1
    return Object.assign(move, { _timestamp: `1772355600.${String(this.#clock).padStart(6, "0")}` })
  }
}
