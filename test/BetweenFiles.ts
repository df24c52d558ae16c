/**
 * Test files share a process, since starting one and loading everything took it as long as most files take. What a file
 * leaves behind doesn't reach the next one: its folders, its environment variables, and what it put in place of functions.
 */
import { afterAll, vi } from "@effect/vitest"
import { removeFolders } from "./Folders.ts"

const before = { ...process.env }

afterAll(() => {
  removeFolders()
  vi.restoreAllMocks()
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})
