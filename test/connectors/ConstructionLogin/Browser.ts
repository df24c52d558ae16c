/** The test as a person's browser: it follows no redirect by itself, and may lie about the host. */
import { request as httpRequest } from "node:http"
import { Effect } from "effect"

export const visit = (url: URL | string) =>
  Effect.promise(async () => {
    const response = await fetch(url, { redirect: "manual" })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** The URL to which the service sends the browser back. */
export const consented = (url: URL) =>
  Effect.map(visit(url), ({ headers }) => new URL(headers.get("location") ?? "", "http://nowhere.invalid"))

/** fetch can't set the Host header. */
export const statusFrom = (url: URL, headers: Record<string, string>, method = "GET") =>
  Effect.promise<number>(
    () =>
      new Promise((resolve, reject) => {
        const request = httpRequest(url, { headers, method }, (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        })
        request.on("error", reject).end()
      })
  )
