/**
 * What an erasure looks for before it changes anything: what would go, and where it would stay.
 */
import * as Erasure from "../../Domain/Erasure.ts"

export interface Seek extends Erasure.Redactor {
  /** False if a text has nothing of it, wherever it would stay: most have nothing, which one reading tells. */
  readonly mayBeIn: (text: string) => boolean
  /** Of a text from which it is gone as far as it goes: whether it is still there. */
  readonly stays: (text: string, read: Erasure.Read) => boolean
}

const ofValue = (asked: Erasure.AskedValue): Seek => {
  const redact = Erasure.redactorOf(asked)
  const isIn = (text: string): boolean => Erasure.redactText(text, redact, Erasure.plain) !== undefined
  return { ...redact, mayBeIn: isIn, stays: isIn }
}

/** Also within longer texts, and fields of any name. */
export const anywhere = (value: string): Erasure.Redactor => Erasure.redactorOf({ value, field: null, isWithin: true })

/** What isn't read as being about any record stays; it may be about this one if it has the id. */
const ofRecord = (record: Erasure.Named): Seek => {
  const { text: redact } = anywhere(record.id)
  return {
    ...Erasure.redactorOf(record),
    mayBeIn: () => true,
    stays: (text, read) =>
      text.includes(record.id) && Erasure.recordsIn(text, read).length === 0 && redact(text, null) !== text
  }
}

/** What would go only if longer texts were looked into, too. */
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

/** First what is asked for; then what only `--within` would find, if that isn't asked for. */
export const seeksOf = (asked: Erasure.Asked): ReadonlyArray<Seek> => {
  if (Erasure.isRecord(asked)) return [ofRecord(asked)]
  const seek = ofValue(asked)
  return asked.isWithin ? [seek] : [seek, beyond(seek, asked)]
}
