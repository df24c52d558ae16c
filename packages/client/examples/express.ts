/** A receiver of deliveries on Express. */
import express from "express"
import { verifyDelivery } from "siteledger-client"

/** `store` must complete only once the event can't be lost any more; only then does the service get a 2xx. */
export const receiver = (secrets: ReadonlyArray<string>, store: (id: string, event: unknown) => Promise<void>) =>
  express().post(
    "/construction",
    // The signature covers the raw bytes, which express.json() doesn't keep.
    express.raw({ type: () => true, limit: "4mb" }),
    async (request, response) => {
      if (!verifyDelivery(request.body, request.headers, secrets)) {
        response.sendStatus(401)
        return
      }
      await store(request.get("x-service-event-id") ?? "", JSON.parse(request.body.toString()))
      response.sendStatus(204)
    }
  )
