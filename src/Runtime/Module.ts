/**
 * Where a module of ours is that another thread loads: as a source, or built.
 */
import { fileURLToPath } from "node:url"

const isSource = import.meta.url.endsWith(".ts")

/** `source`: its source's, from the module that asks. */
export const urlOf = (source: URL): URL => (isSource ? source : new URL(source.href.replace(/\.ts$/, ".js")))

export const fileOf = (source: URL): string => fileURLToPath(urlOf(source))
