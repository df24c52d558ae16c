/**
 * The parts of an Excel workbook (Office Open XML) around its rows: styles, sheets, and the cells as XML. Pure.
 *
 * Every text is an inline string in a cell of format Text: leading zeros and long numbers are preserved, and nothing
 * from outside is a formula or becomes one when a person edits the cell. Characters that XML can't hold are escaped as
 * the standard says (`_x0000_`).
 */
import * as Amount from "../../Domain/Amount.ts"
import * as Instant from "../../Domain/Instant.ts"

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const spreadsheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
const packaged = "http://schemas.openxmlformats.org/package/2006"
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
const types = "application/vnd.openxmlformats-officedocument.spreadsheetml"

const decimals = Array.from({ length: Amount.Money.scale + 1 }, (_, index) => index)
const dateFormat = 164
const amountFormat = (digits: number): number => dateFormat + 1 + digits
const patternOf = (digits: number): string => `#,##0${digits === 0 ? "" : `.${"0".repeat(digits)}`}`

/** Their indexes in `cellXfs`. */
export const style = { number: 0, heading: 1, text: 2, date: 3, amount: (digits: number): number => 4 + digits }

const formats = [
  { number: 1, font: 0 },
  { number: 49, font: 1 },
  { number: 49, font: 0 },
  { number: dateFormat, font: 0 },
  ...decimals.map((digits) => ({ number: amountFormat(digits), font: 0 }))
]

const styles = [
  `${xml}<styleSheet xmlns="${spreadsheet}"><numFmts count="${decimals.length + 1}">`,
  `<numFmt numFmtId="${dateFormat}" formatCode="yyyy\\-mm\\-dd"/>`,
  ...decimals.map((digits) => `<numFmt numFmtId="${amountFormat(digits)}" formatCode="${patternOf(digits)}"/>`),
  '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>',
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>',
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
  `<cellXfs count="${formats.length}">`,
  ...formats.map(
    ({ font, number }) =>
      `<xf numFmtId="${number}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`
  ),
  '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
].join("")

const each = (sheets: number, of: (number: number) => string): string =>
  Array.from({ length: sheets }, (_, index) => of(index + 1)).join("")

export const sheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`

/** All parts but the sheets, by their name in the zip. */
export const partsOf = (sheets: number): Readonly<Record<string, string>> => ({
  "xl/styles.xml": styles,
  "xl/workbook.xml": `${xml}<workbook xmlns="${spreadsheet}" xmlns:r="${office}"><sheets>${each(
    sheets,
    (number) => `<sheet name="Journal${number === 1 ? "" : ` ${number}`}" sheetId="${number}" r:id="rId${number}"/>`
  )}</sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": `${xml}<Relationships xmlns="${packaged}/relationships">${each(
    sheets,
    (number) => `<Relationship Id="rId${number}" Type="${office}/worksheet" Target="worksheets/sheet${number}.xml"/>`
  )}<Relationship Id="rId${sheets + 1}" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  "_rels/.rels": `${xml}<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  "[Content_Types].xml": `${xml}<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/>${each(
    sheets,
    (number) => `<Override PartName="/${sheetPath(number)}" ContentType="${types}.worksheet+xml"/>`
  )}</Types>`
})

/** The part before the rows; the first row stays in view. */
export const sheetBegin = (widths: ReadonlyArray<number>): string =>
  [
    `${xml}<worksheet xmlns="${spreadsheet}"><sheetViews><sheetView workbookViewId="0">`,
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>',
    ...widths.map((width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`),
    "</cols><sheetData>"
  ].join("")

export const sheetEnd = "</sheetData></worksheet>"

/** A cell without its position; empty for no cell. */
export type Cell = (place: string) => string

/** `cells`: undefined where there is no cell. */
export const row = (number: number, cells: ReadonlyArray<Cell | undefined>): string =>
  `<row r="${number}">${cells.map((cell, index) => cell?.(`${letters[index]}${number}`) ?? "").join("")}</row>`

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

const coded = (character: string): string => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`

const escaped = (text: string): string =>
  text
    // Text that looks like an escape isn't one.
    .replace(/_(?=x[0-9a-fA-F]{4}_)/g, "_x005F_")
    .replace(/[^\P{Cc}\t\n]|[\p{Cs}\uFFFE\uFFFF]/gu, coded)
    .replace(/[&<>]/g, (character) => escapes[character] ?? character)

export const text =
  (value: string, styled = style.text): Cell =>
  (place) =>
    `<c r="${place}" s="${styled}" t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`

export const number =
  (value: string, styled = style.number): Cell =>
  (place) =>
    `<c r="${place}" s="${styled}"><v>${value}</v></c>`

const dayMicros = 86_400_000_000
/** Days from the spreadsheet epoch to 1970. */
const daysBefore = 25_569

export const date = (day: string): Cell =>
  number(String(Instant.toMicros(`${day}T00:00:00.000000Z`) / dayMicros + daysBefore), style.date)
