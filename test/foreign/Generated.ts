/** Types that `openapi-typescript` makes of the service's document, for a program of somebody else. */
import openapiTypes, { astToString } from "openapi-typescript"
import type { Consumer } from "../Package/Consumer.ts"

/** Writes them into a file of the consumer. */
export const generateTypes = async (baseUrl: string, consumer: Consumer, file: string): Promise<void> => {
  consumer.write(file, astToString(await openapiTypes(new URL(`${baseUrl}/openapi.json`))))
}
