/**
 * HTML from template literals. Every value is escaped, for text and for quoted attributes alike, unless it is Html
 * itself, so a hostile name can only end up as text. Attributes are always quoted.
 */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** False and undefined show nothing; a list shows its members one after the other. */
export type Shown = Html | string | number | false | undefined | ReadonlyArray<Shown>

const named: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => named[character] ?? "")

const show = (value: Shown): string => {
  if (value === false || value === undefined) return ""
  if (value instanceof Html) return value.text
  return typeof value === "object" ? value.map(show).join("") : escape(String(value))
}

export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Shown>): Html => {
  let text = strings[0] ?? ""
  values.forEach((value, at) => {
    text += show(value) + (strings[at + 1] ?? "")
  })
  return new Html(text)
}
