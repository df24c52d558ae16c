/** A Store in files of which only the deliveries are there. */
import { Duration, Layer } from "effect"
import { type Deliveries, Store } from "../../src/Stores/Store.ts"

export const storeWith = (deliveries: Deliveries): Layer.Layer<Store> =>
  Layer.mock(Store, {
    deliveries,
    engine: "sqlite",
    sharesDatabase: false,
    readAt: undefined,
    pollEvery: Duration.infinity,
    workers: {} as never,
    following: undefined
  })
