/**
 * Saves what a view has found: as a CSV file made from the page's data, or as a file that the worker makes.
 */
import { useState } from "preact/hooks"
import { sentenceOf } from "../Api.ts"
import { csvOf, type Found } from "../Found.ts"

interface Download {
  readonly found: Pick<Found, "columns" | "rows">
  /** The file's name, without its extension. */
  readonly as: string
}

/** `parts`: the contents, in order. */
export const saveAs = (name: string, type: string, parts: ReadonlyArray<string | Uint8Array<ArrayBuffer>>): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([...parts], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

const save = ({ as: name, found }: Download): void => saveAs(`${name}.csv`, "text/csv", [csvOf(found)])

export const Download = (of: Download) => (
  <button type="button" class="quiet" disabled={of.found.rows.length === 0} onClick={() => save(of)}>
    Download CSV
  </button>
)

interface Making {
  readonly children: string
  /** Makes the file and saves it. */
  readonly make: () => Promise<void>
}

/** A file that the worker has to make first; if it can't, the reason is shown. */
export const MakeFile = ({ children, make }: Making) => {
  const [isBusy, setBusy] = useState(false)
  const [sentence, setSentence] = useState<string>()
  const begin = async (): Promise<void> => {
    setBusy(true)
    setSentence(undefined)
    try {
      await make()
    } catch (cause) {
      setSentence(sentenceOf(cause))
    }
    setBusy(false)
  }
  return (
    <>
      <button type="button" class="quiet" disabled={isBusy} onClick={() => void begin()}>
        {isBusy ? "Making the file…" : children}
      </button>
      {sentence === undefined ? null : (
        <span class="complaint" role="alert">
          {sentence}
        </span>
      )}
    </>
  )
}
