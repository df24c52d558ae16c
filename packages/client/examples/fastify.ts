/** A receiver of deliveries on Fastify, as a plugin: other routes keep their own body parsers. */
import type { FastifyInstance } from "fastify"
import { verifyDelivery } from "siteledger-client"

/** `store` must complete only once the event can't be lost any more; only then does the service get a 2xx. */
export const receiver =
  (secrets: ReadonlyArray<string>, store: (id: string, event: unknown) => Promise<void>) =>
  async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers()
    // The signature covers the raw bytes, which Fastify's own JSON parser doesn't keep.
    app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: 4 * 1024 * 1024 }, (_request, body, done) =>
      done(null, body)
    )
    app.post<{ Body: Buffer }>("/construction", async ({ body, headers }, reply) => {
      if (!verifyDelivery(body, headers, secrets)) return reply.code(401).send()
      await store(String(headers["x-service-event-id"]), JSON.parse(body.toString()))
      return reply.code(204).send()
    })
  }
