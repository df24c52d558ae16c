/**
 * The API reference: the OpenAPI document as one web page. Static, usable without scripts and by keyboard, in light and
 * dark; it loads nothing. Each endpoint has an anchor, its operation's id; each schema has one too (`schema-Ipc`).
 */
import { Predicate } from "effect"
import { html, Html, type Shown } from "../Administration/Html.ts"
import { type Document, methods, type Operation } from "./OpenApi.ts"
import { style } from "./Style.ts"

interface Endpoint {
  readonly method: string
  /** Includes the version's path, if it has one. */
  readonly address: string
  readonly operation: Operation
}

const endpointsOf = ({ paths, servers, webhooks }: Document): ReadonlyArray<Endpoint> => [
  ...Object.entries(paths).flatMap(([path, item]) => {
    const base = (item.servers ?? servers)[0]?.url.replace(/\/$/, "") ?? ""
    return methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ method: method.toUpperCase(), address: `${base}${path}`, operation }]
    })
  }),
  ...Object.values(webhooks).map(({ post }) => ({ method: "POST", address: "{url}", operation: post }))
]

/** Text between backticks becomes code. */
const words = (text: string): Shown =>
  text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))

/** An empty line starts a new paragraph. */
const prose = (text: string): Shown => text.split("\n\n").map((paragraph) => html`<p>${words(paragraph)}</p>`)

const fields = (value: unknown): Readonly<Record<string, unknown>> => (Predicate.isObject(value) ? value : {})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => (typeof value === "string" ? value : "")

const separated = (parts: ReadonlyArray<Shown>, separator: string): Shown =>
  parts.map((part, at) => (at === 0 ? part : [separator, part]))

const typeOf = (schema: unknown): Shown => {
  const { $ref, allOf, anyOf, enum: choices, format, items, oneOf = anyOf, type } = fields(schema)
  if (typeof $ref === "string") {
    const name = $ref.slice($ref.lastIndexOf("/") + 1)
    return html`<a href="#schema-${name}">${name}</a>`
  }
  if (Array.isArray(oneOf)) return separated(oneOf.map(typeOf), " or ")
  if (Array.isArray(allOf)) return separated(allOf.map(typeOf), " and ")
  if (Array.isArray(choices))
    return separated(
      choices.map((choice) => html`<code>${String(choice)}</code>`),
      ", "
    )
  const { const: only } = fields(schema)
  if (only !== undefined) return html`<code>${String(only)}</code>`
  if (type === "array") return html`array of ${typeOf(items)}`
  return [list(type).join(" or ") || text(type) || "any JSON", typeof format === "string" && ` (${format})`]
}

const table = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Shown>>) =>
  html`<table>
    <thead>
      <tr>
        ${headings.map((heading) => html`<th scope="col">${heading}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([first, ...others]) =>
          html`<tr>
            <th scope="row">${first}</th>
            ${others.map((cell) => html`<td>${cell}</td>`)}
          </tr>`
      )}
    </tbody>
  </table>`

const contentOf = (content: Readonly<Record<string, { readonly schema: unknown }>> | undefined): Shown =>
  separated(
    Object.entries(content ?? {}).map(
      ([mediaType, { schema }]) => html`${typeOf(schema)} as <code>${mediaType}</code>`
    ),
    " or "
  )

const parametersOf = ({ parameters, requestBody }: Operation): Shown => [
  parameters.length > 0 &&
    html`<h4>Parameters</h4>
      ${table(
        ["Name", "In", "Type", "Meaning"],
        parameters.map(({ description, in: place, name, required, schema }) => {
          const { default: fallback } = fields(schema)
          const meaning = [
            required ? "Required. " : fallback !== undefined && `Default ${String(fallback)}. `,
            words(description ?? "")
          ]
          return [html`<code>${name}</code>`, place, typeOf(schema), meaning]
        })
      )}`,
  requestBody !== undefined &&
    html`<h4>Body</h4>
      <p>${contentOf(requestBody.content)}</p>`
]

const endpoint = ({ address, method, operation }: Endpoint) => {
  const scopes = operation.security.flatMap((requirement) => Object.values(requirement).flat())
  const { description = "", operationId, responses, summary } = operation
  return html`<article id="${operationId}" aria-labelledby="${operationId}-name">
    <h3 id="${operationId}-name"><a href="#${operationId}">${summary}</a></h3>
    <p class="request"><strong>${method}</strong> <code>${address}</code></p>
    ${prose(description)}
    <p>${scopes.length === 0 ? "Needs no bearer token." : html`Needs the scope <code>${scopes.join(" ")}</code>.`}</p>
    ${parametersOf(operation)}
    <h4>Responses</h4>
    ${table(
      ["Status", "Meaning", "Body"],
      Object.entries(responses).map(([status, { content, description }]) => [
        status,
        words(description),
        contentOf(content)
      ])
    )}
  </article>`
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => a.localeCompare(b)

const schemaOf = ([name, schema]: readonly [string, unknown]) => {
  const { description, properties, required } = fields(schema)
  const rows = Object.entries(fields(properties)).map(([property, type]) => {
    const { description } = fields(type)
    return [
      html`<code>${property}</code>`,
      [typeOf(type), typeof description === "string" && [". ", words(description)]],
      list(required).includes(property) ? "always" : "may be missing"
    ]
  })
  return html`<section id="schema-${name}" aria-labelledby="schema-${name}-name">
    <h3 id="schema-${name}-name"><a href="#schema-${name}">${name}</a></h3>
    ${rows.length > 0 ? table(["Field", "Type", "Presence"], rows) : html`<p>${typeOf(schema)}</p>`}
    ${typeof description === "string" && prose(description)}
  </section>`
}

const authorization = ({ components: { securitySchemes } }: Document) => {
  const { description, flows } = securitySchemes.oauth2
  return html`<section id="authorization" aria-labelledby="authorization-name">
    <h2 id="authorization-name">Authorization</h2>
    ${prose(description)}
    ${table(
      ["Flow", "Authorization endpoint", "Token endpoint"],
      [
        ["Client credentials", "", html`<code>${flows.clientCredentials.tokenUrl}</code>`],
        [
          "Authorization code with PKCE",
          html`<code>${flows.authorizationCode.authorizationUrl}</code>`,
          html`<code>${flows.authorizationCode.tokenUrl}</code>`
        ]
      ]
    )}
    ${table(
      ["Scope", "Allows"],
      Object.entries(flows.clientCredentials.scopes).map(([scope, allows]) => [html`<code>${scope}</code>`, allows])
    )}
  </section>`
}

const navigation = (groups: ReadonlyArray<readonly [string, ReadonlyArray<Endpoint>]>) =>
  html`<nav aria-label="Reference">
    <ul>
      <li><a href="#authorization">Authorization</a></li>
      ${groups.map(
        ([name, endpoints]) =>
          html`<li>
            ${name}
            <ul>
              ${endpoints.map(({ operation: { operationId, summary } }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}
            </ul>
          </li>`
      )}
      <li><a href="#schemas">Schemas</a></li>
    </ul>
  </nav>`

export const render = (document: Document): string => {
  const endpoints = endpointsOf(document)
  const groups = document.tags.map(
    ({ name }) => [name, endpoints.filter(({ operation }) => operation.tags.includes(name))] as const
  )
  const { description = "", title, version } = document.info
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}: API reference</title>
        ${new Html(`<style>${style}</style>`)}
      </head>
      <body>
        <a class="skip" href="#reference">Skip to reference</a>
        ${navigation(groups)}
        <main id="reference">
          <h1>${title}</h1>
          <p>Version ${version}. As OpenAPI ${document.openapi}: <a href="openapi.json">openapi.json</a>.</p>
          ${prose(description)} ${authorization(document)}
          ${groups.map(
            ([name, endpoints]) =>
              html`<section>
                <h2>${name}</h2>
                ${endpoints.map(endpoint)}
              </section>`
          )}
          <section id="schemas">
            <h2>Schemas</h2>
            ${Object.entries(document.components.schemas).toSorted(byName).map(schemaOf)}
          </section>
        </main>
      </body>
    </html>`.text
}
