/**
 * Where our files are at run time: a module that another thread loads, as a source or built, and what only the build makes.
 */
import { fileURLToPath } from "node:url"

const isSource = import.meta.url.endsWith(".ts")

/** `source`: its source's, from the module that asks. */
export const urlOf = (source: URL): URL => (isSource ? source : new URL(source.href.replace(/\.ts$/, ".js")))

export const fileOf = (source: URL): string => fileURLToPath(urlOf(source))

/** A file or a folder that the build makes beside the program. */
export const besideBuild = (name: string): URL => new URL(isSource ? `../../dist/${name}` : name, import.meta.url)
