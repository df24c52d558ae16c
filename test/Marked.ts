/**
 * Every secret that the tests' service gives out or asks for carries a mark, and whatever a worker leaves behind is
 * searched for it when the worker ends: its log, its Status, every file of its data directory.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const mark = "marked-secret"

/** Where the mark is found; in the order of the places that were searched. */
export const leaks = (dataDir: string, texts: Readonly<Record<string, string>>): ReadonlyArray<string> => [
  ...Object.entries(texts).flatMap(([name, text]) => (text.includes(mark) ? [name] : [])),
  ...filesBelow(dataDir).filter((path) => holdsMark(path))
]

const filesBelow = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    // A folder that was never made holds nothing.
    return []
  }
}

const holdsMark = (path: string): boolean => {
  try {
    return readFileSync(path).includes(mark)
  } catch {
    // Gone since it was listed: another worker is at work here.
    return false
  }
}
