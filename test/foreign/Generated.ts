/** Types that `openapi-typescript` generates from the service's document, for someone else's program. */
import openapiTypes, { astToString } from "openapi-typescript"
import type { Consumer } from "../Package/Consumer.ts"

/** Writes them into a file of the consumer. */
export const generateTypes = async (baseUrl: string, consumer: Consumer, file: string): Promise<void> => {
  consumer.write(file, astToString(await openapiTypes(new URL(`${baseUrl}/openapi.json`))))
}
