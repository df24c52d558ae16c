/**
 * The records of a list page, cut out of its text without parsing it: most records of a list have the same fields in
 * the same order (a Form), so one pattern finds all values of a record as slices of the text, in a tenth of the time.
 *
 * A slice is exactly what `Json.stringify` writes for the value that `Json.parse` reads there. Anything that a pattern
 * doesn't match (escapes, deeper objects, other fields) is parsed, and a page that isn't as expected isn't cut at all.
 * Pure.
 */
import * as Json from "../../src/Domain/Json.ts"
import { at } from "./ConstructionPlaces.ts"

const space = "[ \\t\\n\\r]*"
/** Without escapes, where the text would be longer than the value, and without what JSON forbids. */
const string = '"[^"\\\\\\x00-\\x1f]*"'
const number = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
/** May turn out not to be JSON. */
const flat = `[^\\[\\]{}"]*(?:${string}[^\\[\\]{}"]*)*`
const value = `(${string}|${number}|true|false|null|\\{${flat}\\}|\\[${flat}\\])`
const separator = new RegExp(`${space}([,\\]])${space}`, "y")

/** The fields of a record, in order, and the pattern that finds them. */
export interface Form {
  readonly names: ReadonlyArray<string>
  readonly pattern: RegExp
}

/** A record. `texts`: the JSON text of its fields, from the second one on. */
export class Cut {
  readonly form: Form
  readonly texts: ReadonlyArray<string>

  constructor(form: Form, texts: ReadonlyArray<string>) {
    this.form = form
    this.texts = texts
  }

  get value(): unknown {
    const fields = this.form.names.map((name, place) => `${JSON.stringify(name)}:${this.texts[place + 1]}`)
    return Json.parse(`{${fields.join(",")}}`)
  }
}

/** With more fields, a pattern is slow to compile. */
const mostFields = 200
/** Otherwise, a list whose records all differ would need a new form for each. */
const mostForms = 16

/** The forms of a list, most recently matched first. */
export class Forms {
  #forms: Array<Form> = []

  /** Undefined if no form matches at this place. */
  match(text: string, place: number): (Cut & { readonly end: number }) | undefined {
    for (const [index, form] of this.#forms.entries()) {
      form.pattern.lastIndex = place
      const texts = form.pattern.exec(text)
      if (texts === null || !areCanonical(texts)) continue
      if (index > 0) this.#forms = [form, ...this.#forms.filter((other) => other !== form)]
      return Object.assign(new Cut(form, texts), { end: form.pattern.lastIndex })
    }
    return undefined
  }

  learn(record: object): void {
    const names = Object.keys(record)
    if (names.length === 0 || names.length > mostFields || !names.every(isPlain)) return
    const fields = names.map((name) => `"${escaped(name)}"${space}:${space}${value}`)
    const pattern = new RegExp(`\\{${space}${fields.join(`${space},${space}`)}${space}\\}${separator.source}`, "y")
    this.#forms = [{ names, pattern }, ...this.#forms.slice(0, mostForms - 1)]
  }
}

const escaped = (name: string): string => name.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")

/** Assigning to __proto__ would change a prototype. */
const isPlain = (name: string): boolean => JSON.stringify(name) === `"${name}"` && name !== "__proto__"

const [openBrace, openBracket] = [123, 91]

/** Writes bracketed values as `Json.stringify` does; returns false if one isn't JSON. */
const areCanonical = (texts: Array<string>): boolean => {
  for (let place = 1; place < texts.length - 1; place++) {
    const text = texts[place]!
    const first = text.charCodeAt(0)
    if (first !== openBrace && first !== openBracket) continue
    const parsed = Json.parse(text)
    if (parsed === undefined) return false
    texts[place] = Json.stringify(parsed)
  }
  return true
}

export interface CutBody {
  /** With a mark in place of the list. */
  readonly body: unknown
  readonly records: ReadonlyArray<unknown>
}

/** Stands for the list; random, so that no text from outside contains it. */
const mark = `list ${crypto.randomUUID()}`

/** A longer record or beginning isn't cut, because it would be read again with each window. */
const mostCarried = 2 ** 20

/**
 * Undefined if the text has to be parsed as a whole, which also shows whether it is JSON. `windows`: the text, in
 * order.
 */
export const cut = (windows: Iterable<string>, paths: ReadonlyArray<string>, forms: Forms): CutBody | undefined => {
  const list = new ListText(forms)
  let before: string | undefined
  let [carried, after] = ["", ""]
  for (const window of windows) {
    if (list.hasEnded) {
      after += window
      continue
    }
    let text = carried + window
    if (before === undefined) {
      const opening = openingIn(text, paths)
      before = opening === undefined ? undefined : text.slice(0, opening)
      if (opening !== undefined) text = text.slice(opening + 1)
    }
    const rest = before === undefined ? text : list.take(text)
    if (rest === undefined || (!list.hasEnded && rest.length > mostCarried)) return undefined
    if (list.hasEnded) after = rest
    else carried = rest
  }
  return before !== undefined && list.hasEnded ? bodyAround(before, after, paths, list.records) : undefined
}

/** Where the first list with a matching name begins. */
const openingIn = (text: string, paths: ReadonlyArray<string>): number | undefined => {
  for (const path of paths) {
    const name = JSON.stringify(path.slice(path.lastIndexOf(".") + 1))
    const found = new RegExp(`${escaped(name)}${space}:${space}\\[`).exec(text)
    if (found !== null) return found.index + found[0].length - 1
  }
  return undefined
}

class ListText {
  readonly #forms: Forms
  readonly records: Array<unknown> = []
  hasEnded = false
  #learned = 0

  constructor(forms: Forms) {
    this.#forms = forms
  }

  /**
   * Returns what has to be read again once more text has arrived, or what follows the list; undefined if it can't be
   * cut.
   */
  take(text: string): string | undefined {
    let place = skipped(text, 0)
    while (!this.hasEnded) {
      const next = this.#next(text, place)
      if (next === "unfinished") return text.slice(place)
      if (next === undefined) return undefined
      place = next
    }
    return text.slice(place)
  }

  #next(text: string, place: number): number | "unfinished" | undefined {
    const matched = this.#forms.match(text, place)
    if (matched !== undefined) return this.#add(matched, matched.texts.at(-1), matched.end)
    const end = Json.objectEnd(text, place)
    if (end === undefined) return place === text.length || text[place] === "{" ? "unfinished" : undefined
    separator.lastIndex = end
    const [, mark] = separator.exec(text) ?? []
    if (mark === undefined) return skipped(text, end) === text.length ? "unfinished" : undefined
    const after = separator.lastIndex
    const record = Json.parse(text.slice(place, end))
    if (!Json.isObject(record)) return undefined
    if (this.#learned++ < mostForms) this.#forms.learn(record)
    return this.#add(record, mark, after)
  }

  #add(record: unknown, mark: string | undefined, end: number): number {
    this.records.push(record)
    this.hasEnded = mark === "]"
    return end
  }
}

const spaces = new RegExp(space, "y")

const skipped = (text: string, place: number): number => {
  spaces.lastIndex = place
  spaces.exec(text)
  return spaces.lastIndex
}

const bodyAround = (
  before: string,
  after: string,
  paths: ReadonlyArray<string>,
  records: ReadonlyArray<unknown>
): CutBody | undefined => {
  const body = Json.parse(`${before}${JSON.stringify(mark)}${after}`)
  // The list may have been found somewhere other than the expected place.
  return firstAt(body, paths) === mark ? { body, records } : undefined
}

export const firstAt = (body: unknown, paths: ReadonlyArray<string>): unknown => {
  for (const path of paths) {
    const found = at(body, path)
    if (found !== undefined) return found
  }
  return undefined
}
