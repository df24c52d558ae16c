/**
 * Test files share a process, because starting a process and loading everything took as long as most files take.
 * Nothing that a file leaves behind reaches the next one: neither its folders, nor its environment variables, nor the
 * functions that it replaced.
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
