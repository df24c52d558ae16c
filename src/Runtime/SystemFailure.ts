/**
 * Why a file can't be read or written, or an address listened on, in words for the person who named it; they go after
 * "…can't be read: ". Pure.
 */

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a file lies where its folder should be",
  EISDIR: "it is a folder",
  EACCES: "this user has no right to",
  EPERM: "this user has no right to, or the file system can't do it",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "its name is too long",
  ENOTSUP: "the file system can't do it",
  EOPNOTSUPP: "the file system can't do it",
  EADDRINUSE: "another program listens there",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host"
}

export const codeOf = (cause: unknown): string => {
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === "string" ? code : ""
}

export const whyNot = (cause: unknown): string =>
  words[codeOf(cause)] ?? (cause instanceof Error ? cause.message : String(cause))
