/**
 * Every secret of the tests' service carries a mark, and when a worker ends, everything that it leaves behind is
 * searched for the mark: its log, its Status, every file of its data directory.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const mark = "marked-secret"

/** Where the mark is found; in the order of the places that were searched. */
export const leaks = (dataDir: string, texts: Readonly<Record<string, string>>): ReadonlyArray<string> => [
  ...Object.entries(texts).flatMap(([name, text]) => (text.includes(mark) ? [name] : [])),
  ...filesHolding(dataDir, mark)
]

/** The files below a folder that hold this text, as bytes. */
export const filesHolding = (folder: string, text: string): ReadonlyArray<string> =>
  filesBelow(folder).filter((path) => isIn(path, text))

export const filesBelow = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    // A folder that was never made holds nothing.
    return []
  }
}

const isIn = (path: string, text: string): boolean => {
  try {
    return readFileSync(path).includes(text)
  } catch {
    // Gone since it was listed: another worker is at work here.
    return false
  }
}
