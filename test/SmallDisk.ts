/** A small file system of its own, so that a test can fill it or make it read-only. Mounting one needs root. */
import { execFileSync } from "node:child_process"
import { appendFileSync } from "node:fs"
import { removeFolder, temporaryFolder } from "./Folders.ts"

/** It is gone once `use` has ended. */
export const onDisk = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = temporaryFolder()
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=40m", "none", folder])
  try {
    await use(folder)
  } finally {
    execFileSync("umount", [folder])
    removeFolder(folder)
  }
}

/** Why no file system can be mounted here; undefined if one can. */
export const unmountable = await onDisk(async () => {}).then(
  () => undefined,
  () => "mounting a file system needs root"
)
if (unmountable !== undefined) process.stderr.write(`skipped: full and read-only disks: ${unmountable}\n`)

/** Writes a file at this path until not one more byte fits. */
export const fill = (path: string): void => {
  for (const size of [1_000_000, 4096]) {
    try {
      while (true) appendFileSync(path, Buffer.alloc(size))
    } catch {
      // Full.
    }
  }
}
