/**
 * What is used of the AWS SDK, in a module of its own: `bin/build.ts` makes one file of it, which only a bucket loads.
 */
export { S3 } from "@aws-sdk/client-s3"
export { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from "@smithy/core/config"
export {
  NODE_MAX_ATTEMPT_CONFIG_OPTIONS,
  NODE_RETRY_MODE_CONFIG_OPTIONS,
  StandardRetryStrategy
} from "@smithy/core/retry"
