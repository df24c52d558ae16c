/** A folder with an OpenAPI document in it, and the environment of a person who has configured nothing yet. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { answering, documentOf, inPath, integer, listing, object, text } from "../../Discovery/Documents.ts"
import { temporaryFolder } from "../../Folders.ts"

export const project = object({ id: integer, name: text, status: text })

export const paths = {
  "/projects": listing(project),
  "/projects/{project_id}/ipcs": listing(object({ id: text, project_id: integer }), inPath("project_id")),
  "/projects/{id}/close": { post: answering(project) },
  "/exports": { get: { responses: { "200": { content: { "text/csv": {} } } } } }
}

export const given = () => {
  const folder = temporaryFolder()
  const file = (name: string, content: unknown): string => {
    const path = join(folder, name)
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
    return path
  }
  return {
    folder,
    file,
    environment: { PATH: process.env["PATH"] ?? "", SITELEDGER_DATA_DIR: join(folder, "data") },
    openapi: file("openapi.json", documentOf(paths))
  }
}
