/**
 * Who may read the files that this program creates: only its own user.
 *
 * Files for analysts are exempt if the operator has opened them: a file that replaces another, or that is added to a
 * folder, is readable by the same group and others as that file or folder. Existing files keep their permissions.
 */
import { chmodSync, chownSync, statSync } from "node:fs"

const others = 0o077
let asked = 0o022

/** For the whole process and its children. */
export const keepPrivate = (): void => void (asked = process.umask(others))

/** For a file that a person asked for: with the permissions that the shell that started this process would give it. */
export const giveToPerson = (path: string): void => chmodSync(path, 0o666 & ~asked)

const hasGroup = (path: string, group: number): boolean => {
  if (statSync(path).gid === group) return true
  try {
    chownSync(path, -1, group)
    return true
  } catch {
    // Only root may give a file to a group to which it doesn't belong.
    return false
  }
}

/** Nothing changes if there is no `model`. */
export const inherit = (path: string, model: string): void => {
  const given = statSync(model, { throwIfNoEntry: false })
  if (given === undefined) return
  const mode = statSync(path).isFile() ? 0o600 | (given.mode & 0o044) : 0o700 | (given.mode & 0o055)
  // In another group, the group's permissions would open it to the wrong people.
  chmodSync(path, hasGroup(path, given.gid) ? mode : mode & ~0o070)
}

/**
 * The nine permission bits of a file or folder that users other than its owner may read, write or enter; undefined for
 * a private one.
 */
export const openMode = (path: string): number | undefined => {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & others) === 0 ? undefined : mode & 0o777
}
