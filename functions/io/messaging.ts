/** The two asynchronous ways out: the triggers queue and the worker's asynchronous invocation. Ids only. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { TriggerQueue, WorkerInvoker } from './ports.ts';

export function createTriggerQueue(queueUrl: string): TriggerQueue {
  const client = new SQSClient({});
  return {
    async send(message) {
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message) }));
    },
  };
}

/** `Event` only: a synchronous call between functions is run again by every client that loses patience (trap LA3). */
export function createWorkerInvoker(functionName: string): WorkerInvoker {
  const client = new LambdaClient({});
  return {
    async invoke(event) {
      const Payload = new TextEncoder().encode(JSON.stringify(event));
      await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
    },
  };
}
