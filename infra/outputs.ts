/**
 * What other stacks, scripts and people need to find a deployment: parameters of Systems Manager under
 * `/nightjar/<environment>/…`, and the same values as outputs of the stack.
 */
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { Functions } from './compute.ts';
import type { Deployment } from './deployment.ts';
import { constructId } from './function.ts';
import type { Queues } from './queues.ts';
import type { Storage } from './storage.ts';

export interface OutputsProps {
  readonly deployment: Deployment;
  readonly storage: Storage;
  readonly queues: Queues;
  readonly functions: Functions;
  readonly api: HttpApi;
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Publishes every value under its kebab-case name, and as an output under its name in capitals. */
export function publishOutputs(stack: Stack, { deployment, storage, queues, functions, api }: OutputsProps): void {
  const values: Record<string, string> = {
    apiUrl: api.apiEndpoint,
    controlTable: storage.control.tableName,
    textTable: storage.text.tableName,
    triggersQueueUrl: queues.triggers.queueUrl,
    failedPassesQueueUrl: queues.failedPasses.queueUrl,
  };
  for (const [name, queue] of Object.entries(queues.deadLetters)) values[`${name}QueueUrl`] = queue.queueUrl;
  for (const [name, target] of Object.entries(functions)) values[`${name}Function`] = target.functionName;

  const parameters = new Construct(stack, 'Outputs');
  for (const [name, value] of Object.entries(values)) {
    new StringParameter(parameters, constructId(name), {
      parameterName: `/nightjar/${deployment.environment}/${toKebabCase(name)}`,
      stringValue: value,
    });
    new CfnOutput(stack, constructId(name), { value });
  }
}
