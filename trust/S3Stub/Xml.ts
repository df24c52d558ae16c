/** The little XML that S3 needs. */
import type { Answer } from "./Asked.ts"

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** The encoding of keys in a list, if the client asks for it: as in a form. */
export const inUrl = (key: string): string => encodeURIComponent(key).replaceAll("%20", "+").replaceAll("%2F", "/")

const meant: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

/** The texts of all elements of this name. */
export const texts = (xml: string, name: string): ReadonlyArray<string> =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) =>
    text.replaceAll(/&(\w+);/g, (entity, word: string) => meant[word] ?? entity)
  )

export const document = (root: string, ...content: ReadonlyArray<string>): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>${content.join("")}</${root}>`

export const answer = (root: string, ...content: ReadonlyArray<string>): Answer => ({
  status: 200,
  headers: { "content-type": "application/xml" },
  body: document(root, ...content)
})
