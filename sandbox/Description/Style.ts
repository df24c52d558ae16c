/**
 * The style of the API reference, light or dark as the reader's system asks. Text is never cut off or scrolled
 * sideways: long words break. The policy allows this style and nothing else, from anywhere.
 */
import { createHash } from "node:crypto"

export const style = `
:root { color-scheme: light dark; --ink: light-dark(#1f2328, #e6edf3); --paper: light-dark(#fff, #0d1117);
  --soft: light-dark(#f3f5f8, #161b22); --edge: light-dark(#d0d7de, #30363d); --link: light-dark(#0b57d0, #8ab4f8);
  scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); background: var(--paper);
  color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--paper); }
.skip:focus { left: 0; z-index: 1; }
nav { position: sticky; top: 0; height: 100vh; box-sizing: border-box; overflow-y: auto; padding: 1rem 1.5rem;
  background: var(--soft); border-right: 1px solid var(--edge); font-size: .9rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav > ul > li { margin-top: .9rem; font-weight: 600; }
nav ul ul a { font-weight: 400; }
nav a { display: block; padding: .15rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main { max-width: 56rem; padding: 1rem 2.5rem 4rem; overflow-wrap: break-word; }
h1 { margin: .5rem 0; font-size: 1.9rem; line-height: 1.25; }
h2 { margin: 3rem 0 1rem; padding-bottom: .3rem; border-bottom: 1px solid var(--edge); font-size: 1.5rem; }
h3 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
h4 { margin: 1.2rem 0 .4rem; font-size: 1rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
:target { background: var(--soft); box-shadow: 0 0 0 .75rem var(--soft); border-radius: .1rem; }
.request { padding: .5rem .75rem; background: var(--soft); border: 1px solid var(--edge); border-radius: .4rem; }
.request strong { margin-right: .5rem; }
code { font: .9em/1.4 ui-monospace, monospace; }
table { width: 100%; margin: .5rem 0 1rem; border-collapse: collapse; font-size: .93rem; }
th, td { padding: .4rem .6rem; border: 1px solid var(--edge); text-align: left; vertical-align: top; }
th { font-weight: 600; }
thead th { background: var(--soft); }
@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--edge); }
  main { padding: 1rem; }
  th, td { padding: .3rem; }
  td:last-child, td a, td code, th[scope=row] code { overflow-wrap: anywhere; }
}
`

export const headers: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer"
}
