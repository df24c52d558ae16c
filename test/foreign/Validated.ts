/** Validates answers of the sandbox with ajv against the schemas in its OpenAPI document. */
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"

const pointer = (parts: ReadonlyArray<string>) =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")

/** The complaints about a value by the schema at a place in the document. */
export type Validate = (place: ReadonlyArray<string>, value: unknown) => ReadonlyArray<string>

export const validator = (document: object): Validate => {
  // The document is no schema itself, and its keywords are OpenAPI's too.
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat("decimal", /^-?\d+(\.\d+)?$/)
  ajv.addSchema(document, "document")
  return (place, value) => {
    const validate = ajv.getSchema(`document#${pointer(place)}`)
    if (validate === undefined) return [`there is no schema at ${place.join("/")}`]
    validate(value)
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}
