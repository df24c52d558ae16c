/** Programs on generated types. Nothing in them may be `any`, which would let every mistake pass. */

const connected = (version: string) => `
import createClient from "openapi-fetch"
type components = import("./${version}.ts").components
type paths = import("./${version}.ts").paths

const service = process.env["SERVICE"] ?? ""
const oauth = createClient<paths>({ baseUrl: service })
const { data: token, error: refusal } = await oauth.POST("/oauth/token", {
  body: { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" },
  bodySerializer: (form) => new URLSearchParams({ ...form }),
  headers: { "content-type": "application/x-www-form-urlencoded" }
})
if (token === undefined) throw new Error(refusal.error)
const seconds: number = token.expires_in
const headers = { authorization: \`Bearer \${token.access_token}\` }
const client = createClient<paths>({ baseUrl: \`\${service}/${version}\`, headers })
`

export const first = `${connected("v1")}
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
type webhooks = import("./v1.ts").webhooks

const projects: Array<components["schemas"]["Project"]> = []
let pages = 0
for (let total = 1; projects.length < total; ) {
  const { data } = await client.GET("/projects", { params: { query: { page: ++pages, per_page: 100 } } })
  if (data === undefined) throw new Error("no page")
  projects.push(...data.data)
  total = data.pagination.total
}
const names: Array<string> = projects.map(({ name }) => name)
console.log(names.length, "projects on", pages, "pages, by a token for", seconds, "s")

type Delivery = webhooks[keyof webhooks]["post"]["requestBody"]["content"]["application/json"]
type Headers = webhooks["ipc.paid"]["post"]["parameters"]["header"]
const signature: Lowercase<keyof Headers & "X-Service-Signature"> = "x-service-signature"

const secret = Promise.withResolvers<string>()
const seen = new Set<string>()
const receiver = createServer(async (request, response) => {
  const body = await buffer(request)
  const isSigned = createHmac("sha256", await secret.promise).update(body).digest("hex") === request.headers[signature]
  const event = JSON.parse(String(body)) as Delivery
  response.writeHead(204).end()
  if (seen.has(event.event_type)) return
  seen.add(event.event_type)
  if (event.event_type === "webhook.ping") console.log(event.event_type, isSigned)
  if (event.event_type !== "ipc.paid") return
  // @ts-expect-error a paid certificate's payload has no such field
  event.data.certificate_url
  const { ipc_id, payment_reference }: { ipc_id: string; payment_reference: string } = event.data
  console.log(event.event_type, isSigned, ipc_id, payment_reference)
  receiver.emit("paid")
})
receiver.listen(0, "127.0.0.1")
await once(receiver, "listening")
const url = \`http://127.0.0.1:\${(receiver.address() as AddressInfo).port}/\`
const paid = once(receiver, "paid")
const { data: subscription } = await client.POST("/webhooks", { body: { url, events: ["ipc.paid"] } })
secret.resolve(subscription?.secret ?? "")
await paid

const { error, response } = await client.GET("/ipcs/{id}", { params: { path: { id: "none" } } })
console.log(response.status, error?.error)
receiver.close()
receiver.closeAllConnections()

export const mistakes = () => [
  // @ts-expect-error no such path
  client.GET("/ledgers"),
  // @ts-expect-error a subscription needs events
  client.POST("/webhooks", { body: { url } }),
  // @ts-expect-error no such field
  projects[0]?.budget
]
`

export const migrated = `${connected("v2")}
const { data } = await client.GET("/projects", { params: { query: { per_page: 1 } } })
const [project] = data?.items ?? []
// @ts-expect-error a name of the first version
project?.name
const same: components["schemas"]["Project"] | undefined = project
console.log(data?.page.total, \`\${same?.title}, \${same?.state}\`, seconds)
`
