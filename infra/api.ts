/**
 * The HTTP API: every route of `schema/edges.ts` and what no route is, each behind IAM, throttled, with an access log that
 * holds no body, no path and no query, because scopes and source ids may name a person.
 */
import {
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { FALLBACK, HTTP, ROUTES } from '../schema/edges.ts';
import type { FunctionName } from '../schema/environment.ts';
import type { Functions } from './compute.ts';
import type { Deployment } from './deployment.ts';
import { constructId } from './function.ts';

const ACCESS_LOG_FORMAT = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    time: '$context.requestTimeEpoch',
    route: '$context.routeKey',
    status: '$context.status',
    caller: '$context.identity.userArn',
    responseSizeBytes: '$context.responseLength',
    latencyMs: '$context.responseLatency',
    integrationLatencyMs: '$context.integrationLatency',
    integrationError: '$context.integrationErrorMessage',
  }),
);

export interface ApiProps {
  readonly deployment: Deployment;
  readonly functions: Functions;
}

export class Api extends Construct {
  readonly http: HttpApi;

  constructor(scope: Construct, id: string, { deployment, functions }: ApiProps) {
    super(scope, id);
    this.http = new HttpApi(this, 'Http', {
      // A label in the console, not an identifier: two stacks may bear the same.
      apiName: `Nightjar ${deployment.environment}`,
      createDefaultStage: false,
      defaultAuthorizer: new HttpIamAuthorizer(),
    });
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: deployment.logRetention,
      removalPolicy: deployment.removalPolicy,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: HTTP.rateLimit, burstLimit: HTTP.burstLimit },
      accessLogSettings: { destination: new LogGroupLogDestination(accessLog), format: ACCESS_LOG_FORMAT },
    });
    this.#addRoutes(functions);
  }

  #addRoutes(functions: Functions): void {
    const integrations = new Map<FunctionName, HttpLambdaIntegration>();
    const integrationOf = (name: FunctionName): HttpLambdaIntegration => {
      const made =
        integrations.get(name) ??
        new HttpLambdaIntegration(constructId(name), functions[name], {
          payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
        });
      integrations.set(name, made);
      return made;
    };
    for (const [method, path, name] of ROUTES) {
      this.http.addRoutes({ path, methods: [HttpMethod[method]], integration: integrationOf(name) });
    }
    new HttpRoute(this, 'Fallback', {
      httpApi: this.http,
      routeKey: HttpRouteKey.DEFAULT,
      integration: integrationOf(FALLBACK.function),
    });
  }
}
