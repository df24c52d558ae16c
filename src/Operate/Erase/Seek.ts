/**
 * What an erasure looks for before it changes anything: what would be removed, and where something would stay.
 */
import * as Erasure from "../../Domain/Erasure.ts"

export interface Seek extends Erasure.Redactor {
  /**
   * False if a text certainly contains nothing of it, even where it would stay: most texts contain nothing, and one
   * pass shows that.
   */
  readonly mayBeIn: (text: string) => boolean
  /** For a text from which it has been removed as far as possible: whether it is still there. */
  readonly stays: (text: string, read: Erasure.Read) => boolean
}

const ofValue = (asked: Erasure.AskedValue): Seek => {
  const redact = Erasure.redactorOf(asked)
  const isIn = (text: string): boolean => Erasure.redactText(text, redact, Erasure.plain) !== undefined
  return { ...redact, mayBeIn: isIn, stays: isIn }
}

/** Also within longer texts, and in fields of any name. */
export const anywhere = (value: string): Erasure.Redactor => Erasure.redactorOf({ value, field: null, isWithin: true })

/** What isn't read as being about some record stays; it may be about this one if it contains the id. */
const ofRecord = (record: Erasure.Named): Seek => {
  const { text: redact } = anywhere(record.id)
  return {
    ...Erasure.redactorOf(record),
    mayBeIn: () => true,
    stays: (text, read) =>
      text.includes(record.id) && Erasure.recordsIn(text, read).length === 0 && redact(text, null) !== text
  }
}

/** What would be removed only if longer texts were searched too. */
const beyond = ({ text: redact }: Erasure.Redactor, asked: Erasure.AskedValue): Seek => {
  const wide = Erasure.redactorOf({ ...asked, isWithin: true }).text
  return {
    ...Erasure.nothing,
    text: (text, name, isLoose) => {
      const left = redact(text, name, isLoose)
      const less = wide(left, name, isLoose)
      return less === left ? text : less
    },
    mayBeIn: () => true,
    stays: () => false
  }
}

/** First what is asked for; then what only `--within` would find, unless that is asked for. */
export const seeksOf = (asked: Erasure.Asked): ReadonlyArray<Seek> => {
  if (Erasure.isRecord(asked)) return [ofRecord(asked)]
  const seek = ofValue(asked)
  return asked.isWithin ? [seek] : [seek, beyond(seek, asked)]
}
