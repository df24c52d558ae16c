/** A Store in files with only the deliveries. */
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
