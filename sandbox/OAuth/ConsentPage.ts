/**
 * The pages that a person sees: the login with its question, the code of a device, the outcome, and errors that can't
 * be answered by a redirect. Plain HTML that works without scripts, by keyboard, in light and dark, and loads nothing.
 * Everything from the request is escaped, and no other page can frame them (RFC 9700 §4.16).
 */
import { createHash } from "node:crypto"
import { escape } from "../Administration/Html.ts"
import type { Request } from "./Authorization.ts"
import { administrator } from "./Consents.ts"
import type { Device } from "./Devices.ts"

export interface Page {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

const style = `
:root { color-scheme: light dark; --edge: light-dark(#6b7280, #9ca3af); --accent: light-dark(#1d4ed8, #93c5fd);
  --on-accent: light-dark(#fff, #111827); --wrong: light-dark(#b91c1c, #fca5a5); }
body { margin: 0; background: light-dark(#fff, #111827); color: light-dark(#111827, #f3f4f6);
  font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: 0 auto; padding: 2rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
label { display: block; margin-top: 1rem; font-weight: 600; }
input { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: .5rem; font: inherit;
  border: 1px solid var(--edge); border-radius: .25rem; }
button { min-height: 2.75rem; margin: 1.5rem .5rem 0 0; padding: .5rem 1.5rem; font: inherit; font-weight: 600;
  border: 1px solid var(--accent); border-radius: .25rem; background: transparent; color: var(--accent); }
button[value=allow] { background: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role=alert] { padding: .5rem 1rem; border-left: .25rem solid var(--wrong); color: var(--wrong); }
`
const styleSource = `'sha256-${createHash("sha256").update(style).digest("base64")}'`

const document = (title: string, main: string, formAction: string): Page => ({
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escape(title)}</h1>
${main}
</main>
</body>
</html>
`,
  headers: {
    "content-security-policy": [
      "default-src 'none'",
      `style-src ${styleSource}`,
      `form-action ${formAction}`,
      "base-uri 'none'",
      "frame-ancestors 'none'"
    ].join("; "),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    pragma: "no-cache"
  }
})

/** `form-action` also covers a form's redirect. It can't name an IPv6 address: for one, any http address is allowed. */
const formAction = (redirectUri: string): string => {
  const { hostname, origin } = new URL(redirectUri)
  return `'self' ${hostname.startsWith("[") ? "http:" : origin}`
}

const wrongLogin = `<p role="alert" id="wrong">The user name or the password is wrong. Try again.</p>`

/** Where a form is sent, its secret, and whether it is shown again after a wrong password. */
export interface Form {
  readonly action: string
  readonly consent: string
  readonly again: boolean
}

const ask = (
  { client, scopes }: Pick<Device, "client" | "scopes">,
  { action, again, consent }: Form,
  destination: string,
  allowed: string
): Page => {
  const described = again ? `hint wrong" aria-invalid="true` : "hint"
  const main = `
<p>The application (client id <code>${escape(client.id)}</code>) asks for:</p>
<ul>
${scopes.map((scope) => `<li><code>${escape(scope)}</code></li>`).join("\n")}
</ul>
<p>${destination} If you didn't start this login, deny it.</p>
${again ? wrongLogin : ""}
<form method="post" action="${escape(action)}">
<input type="hidden" name="consent" value="${escape(consent)}">
<p id="hint">In this sandbox: user <code>${administrator.username}</code>, password <code>${administrator.password}</code>.</p>
<label for="username">User name</label>
<input id="username" name="username" type="email" autocomplete="username" required aria-describedby="${described}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required aria-describedby="${described}">
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" formnovalidate>Deny</button>
</form>`
  return document(`Give “${client.name}” access?`, main, allowed)
}

export const question = (request: Request, form: Form): Page => {
  const { origin } = new URL(request.redirectUri)
  return ask(request, form, `The answer goes to <code>${escape(origin)}</code>.`, formAction(request.redirectUri))
}

/** The code is shown so that the person can compare it (RFC 8628 §3.3.1): an attacker may have sent the address. */
export const deviceQuestion = (device: Device, form: Form): Page =>
  ask(
    device,
    form,
    `The access goes to the device that shows the code <code>${escape(device.userCode)}</code>.`,
    "'self'"
  )

const unknownCode = `<p role="alert" id="wrong">No device is waiting with this code. Check it, or start again on the device.</p>`

/** `again`: after a wrong code. */
export const enterCode = (action: string, again: boolean): Page => {
  const described = again ? ` aria-describedby="wrong" aria-invalid="true"` : ""
  const main = `
${again ? unknownCode : ""}
<form method="get" action="${escape(action)}">
<label for="user_code">Code that the device shows</label>
<input id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required${described}>
<button>Continue</button>
</form>`
  return document("Log in on a device", main, "'self'")
}

export const deviceAnswered = (decision: "allowed" | "denied"): Page =>
  decision === "allowed"
    ? document("The device has access", "<p>It goes on by itself. You can close this page.</p>", "'none'")
    : document("The device has no access", "<p>You have denied it. You can close this page.</p>", "'none'")

/** An error that can't be redirected, because no address can be trusted. */
export const problem = (description: string): Page =>
  document(
    "This request can't be answered",
    `<p role="alert">${escape(description)}</p>\n<p>No access was given. Go back to the application and start again.</p>`,
    "'none'"
  )
