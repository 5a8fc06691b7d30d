/** AWS's limits on what crosses an edge, in bytes; item, query page and message limits are kept by the two engines. */

const MIB = 1024 * 1024;

/** API Gateway HTTP API: request body. */
export const HTTP_BODY_MAX_BYTES = 10 * MIB;
/** Lambda: synchronous request. */
export const LAMBDA_REQUEST_MAX_BYTES = 6 * MIB;
/** Lambda: answer of a synchronous request; AWS allows 100 bytes more than for the request. */
export const LAMBDA_RESPONSE_MAX_BYTES = 6 * MIB + 100;
/** Lambda: asynchronous event; raised from 256 KiB in 2025. */
export const ASYNC_EVENT_MAX_BYTES = MIB;
/** Any request at all: DynamoDB takes 16 MiB, and no service here takes more. */
export const REQUEST_MAX_BYTES = 16 * MIB;
