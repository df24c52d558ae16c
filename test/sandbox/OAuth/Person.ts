/** The person at the sandbox's login page, whose browser is played by fetch. */
import { administrator } from "./Login.ts"

/** Fills in the page's form; returns where the browser is sent next. */
export const decide = (decision: "allow" | "deny") => async (url: string) => {
  const page = await fetch(url)
  const html = await page.text()
  const consent = /name="consent" value="([^"]*)"/.exec(html)?.[1] ?? ""
  const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1] ?? ""
  const answer = await fetch(new URL(action, url), {
    method: "POST",
    redirect: "manual",
    headers: { cookie: page.headers.get("set-cookie")?.split(";")[0] ?? "" },
    body: new URLSearchParams({ consent, decision, ...administrator })
  })
  return answer.headers.get("location") ?? ""
}
