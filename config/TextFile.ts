/**
 * Reads a text file that a variable names, without a byte order mark.
 */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { Result } from "effect"
import type { Parse } from "./Parse.ts"

export const textFile: Parse<string> = (path) =>
  Result.try({
    try: () => readFileSync(resolve(path), "utf8").replace(/^\uFEFF/, ""),
    catch: () => "names a file that cannot be read."
  })
