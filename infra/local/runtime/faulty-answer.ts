/** How each service says that it is throttling or that it failed, as the SDK reads it. */
import type { HttpAnswer } from './http-event.ts';
import type { Service } from './request-counts.ts';

/** The answer to a request that was throttled, or that failed before or after it was carried out. */
export function describeFault(service: Service, isThrottled: boolean): HttpAnswer {
  const { status, name, message } = isThrottled ? THROTTLED[service] : FAILED[service];
  if (service === 'lambda') {
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': name };
    return { status, headers, body: JSON.stringify({ Type: isThrottled ? 'User' : 'Service', Message: message }) };
  }
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  return { status, headers, body: JSON.stringify({ __type: name, message }) };
}

interface Refusal {
  readonly status: number;
  readonly name: string;
  readonly message: string;
}

const INJECTED = 'injected by the local runtime';
const THROTTLED: Readonly<Record<Service, Refusal>> = {
  dynamodb: {
    status: 400,
    name: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
    message: `The level of configured provisioned throughput for the table was exceeded (${INJECTED}).`,
  },
  sqs: { status: 403, name: 'com.amazonaws.sqs#RequestThrottled', message: `Request is throttled (${INJECTED}).` },
  lambda: { status: 429, name: 'TooManyRequestsException', message: `Rate Exceeded (${INJECTED}).` },
};
const FAILED: Readonly<Record<Service, Refusal>> = {
  dynamodb: {
    status: 500,
    name: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
    message: `Internal server error (${INJECTED}).`,
  },
  sqs: { status: 500, name: 'com.amazonaws.sqs#InternalFailure', message: `Internal failure (${INJECTED}).` },
  lambda: { status: 500, name: 'ServiceException', message: `Internal error (${INJECTED}).` },
};
