/**
 * Why a file can't be read or written, or a socket can't listen, in words for the person who configured it. They follow
 * "…can't be read: ". Pure.
 */

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a file is where a folder should be",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  EPERM: "permission denied, or not supported by the file system",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is too large",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
  ENOMEM: "out of memory",
  EIO: "the disk reports an error",
  ENAMETOOLONG: "its name is too long",
  ENOTSUP: "not supported by the file system",
  EOPNOTSUPP: "not supported by the file system",
  EADDRINUSE: "another program is already listening there",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host"
}

export const codeOf = (cause: unknown): string => {
  const code = (cause as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === "string" ? code : ""
}

export const whyNot = (cause: unknown): string =>
  words[codeOf(cause)] ?? (cause instanceof Error ? cause.message : String(cause))
