/** The folders of one test file, removed at its end unless a test has already removed them (test/BetweenFiles.ts). */
import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** In memory, if there is enough: thousands of commits then wait for no disk, and a kill loses nothing there either. */
const memory = "/dev/shm"
const roomBytes = 2 ** 30
const hasRoom = existsSync(memory) && statfsSync(memory).bavail * statfsSync(memory).bsize > roomBytes
const temporary = hasRoom ? memory : tmpdir()

const made = new Set<string>()

const make = (place: string): string => {
  const folder = mkdtempSync(join(place, "siteledger-test-"))
  made.add(folder)
  return folder
}

export const temporaryFolder = (): string => make(temporary)

/** Never in memory. */
export const folderOnDisk = (): string => make(tmpdir())

export const removeFolder = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true })
  made.delete(folder)
}

export const removeFolders = (): void => {
  for (const folder of made) removeFolder(folder)
}
