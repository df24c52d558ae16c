/**
 * The parts of the AWS SDK that are used, in a separate module: `bin/build.ts` bundles it into one file, which is
 * loaded only for a bucket.
 */
export { S3 } from "@aws-sdk/client-s3"
export { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from "@smithy/core/config"
export {
  NODE_MAX_ATTEMPT_CONFIG_OPTIONS,
  NODE_RETRY_MODE_CONFIG_OPTIONS,
  StandardRetryStrategy
} from "@smithy/core/retry"
