/**
 * Where our files are at run time: modules that another thread loads, as source or built, and files that only the build
 * creates.
 */
import { fileURLToPath } from "node:url"

const isSource = import.meta.url.endsWith(".ts")

/** `source`: the URL of its source, from the importing module. */
export const urlOf = (source: URL): URL => (isSource ? source : new URL(source.href.replace(/\.ts$/, ".cjs")))

export const fileOf = (source: URL): string => fileURLToPath(urlOf(source))

/** A file or folder that the build creates beside the program. */
export const besideBuild = (name: string): URL => new URL(isSource ? `../../dist/${name}` : name, import.meta.url)
