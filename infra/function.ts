/**
 * One Lambda function with everything explicit: runtime, role, log group, limits. No managed policy: a role may do what
 * is granted in this folder and write to its own log.
 */
import { type CfnResource, Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { FunctionName } from '../schema/environment.ts';
import { METRICS_NAMESPACE } from '../schema/metrics.ts';
import { bundleCode, entryFile, HANDLER } from './bundling.ts';
import type { Deployment } from './deployment.ts';

export interface FunctionShape {
  readonly timeoutS: number;
  readonly memoryMiB: number;
  readonly description: string;
}

/** Constructs' ids begin with a capital letter. */
export function constructId(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The value of the one dimension of our metrics: environments of one account stay apart, and each metric is one series. */
export function metricsService(deployment: Deployment): string {
  return `nightjar-${deployment.environment}`;
}

/** Names that Powertools reads by itself; `off` also saves the price of custom metrics. */
function powertoolsEnvironment(deployment: Deployment): Record<string, string> {
  return {
    POWERTOOLS_SERVICE_NAME: metricsService(deployment),
    POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
    ...(deployment.observability === 'off' && { POWERTOOLS_METRICS_DISABLED: 'true' }),
  };
}

/** Creates the function with its own role and log group; `environment` may be added to afterwards. */
export function createFunction(
  scope: Construct,
  name: FunctionName,
  shape: FunctionShape,
  deployment: Deployment,
): LambdaFunction {
  const id = constructId(name);
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    description: `What the ${name} function may do`,
  });
  const logGroup = new LogGroup(scope, `${id}Log`, {
    retention: deployment.logRetention,
    removalPolicy: deployment.removalPolicy,
  });
  logGroup.grantWrite(role);
  const reserved = deployment.reservedConcurrency[name];
  const created = new LambdaFunction(scope, id, {
    code: bundleCode(name),
    handler: HANDLER,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    role,
    logGroup,
    timeout: Duration.seconds(shape.timeoutS),
    memorySize: shape.memoryMiB,
    description: shape.description,
    environment: powertoolsEnvironment(deployment),
    ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
  });
  // The embedded runtime reads the template and runs this file instead of the bundle.
  (created.node.defaultChild as CfnResource).addMetadata('local:entry', entryFile(name));
  return created;
}
