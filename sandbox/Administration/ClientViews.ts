/**
 * The ready-made OAuth clients (interface document §5), with their secrets: a stand-in has nothing to protect. Also the
 * person who can log in.
 */
import { deviceGrant } from "../../connectors/construction/ConstructionApi.ts"
import { type Client, loopbackRedirect } from "../OAuth/Clients.ts"
import { administrator } from "../OAuth/Consents.ts"
import type { Administered } from "./Administered.ts"
import { html } from "./Html.ts"
import { type Page, table } from "./Page.ts"
import * as Wording from "./Wording.ts"

const grants: Readonly<Record<Client["grantTypes"][number], string>> = {
  client_credentials: "client credentials",
  authorization_code: "authorization code with PKCE",
  [deviceGrant]: "device code",
  refresh_token: "refresh token"
}

const rows = ({ clients }: Administered) =>
  [...clients.values()].map(({ grantTypes, id, name, plan, redirectUris, secret }) => ({
    key: id,
    cells: [
      html`<code>${id}</code>`,
      secret === undefined ? "none: public" : html`<code>${secret}</code>`,
      name,
      grantTypes.map((type) => grants[type]).join(", "),
      html`${[loopbackRedirect, ...redirectUris].map((uri) => html`<bdi class="url">${uri}</bdi> `)}`,
      Number.isFinite(plan) ? `${Wording.count(plan)} a minute` : "no limit"
    ]
  }))

export const page = (world: Administered): Page => ({
  section: "clients",
  title: "OAuth clients",
  trail: [["API"]],
  body: html`
    ${table({
      caption: "OAuth clients",
      columns: [
        { name: "Id" },
        { name: "Secret" },
        { name: "Meant for" },
        { name: "Grants" },
        { name: "Redirect URIs" },
        { name: "Requests" }
      ],
      rows: rows(world),
      empty: "None."
    })}
    <p class="note">
      All scopes. Consent is given by <code>${administrator.username}</code> with the password
      <code>${administrator.password}</code>. Another redirect URI: start the sandbox with <code>--redirect-uri</code>.
    </p>
  `
})
