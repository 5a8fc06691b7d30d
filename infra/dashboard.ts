/**
 * One dashboard page: is work waiting, do passes run, what fails, what landed in a dead-letter queue. `full` adds the
 * standard graphs of every resource below it. It has no name of its own: CloudFormation gives one per stack.
 */
import { Duration } from 'aws-cdk-lib';
import type { HttpApi, IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  Metric,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { type ITable, Operation } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { DefaultDashboards, type IDynamicDashboardFactory, MonitoringFacade } from 'cdk-monitoring-constructs';
import { METRICS, METRICS_NAMESPACE, type MetricName } from '../schema/metrics.ts';
import type { Functions } from './compute.ts';
import type { Deployment } from './deployment.ts';
import { metricsService } from './function.ts';
import type { Queues } from './queues.ts';
import type { Storage } from './storage.ts';

export interface DashboardProps {
  readonly deployment: Deployment;
  readonly storage: Storage;
  readonly queues: Queues;
  readonly functions: Functions;
  readonly api: HttpApi;
}

/** Four graphs in a row of CloudWatch's 24 columns. */
const GRAPH_WIDTH = 6;
/** A pass lasts minutes: finer points would show noise. */
const PERIOD = Duration.minutes(5);

function graph(title: string, left: IMetric[], right: IMetric[] = []): IWidget {
  return new GraphWidget({ title, left, right, width: GRAPH_WIDTH, period: PERIOD });
}

/** The table operations our functions call; each has its own throttle metric. */
const OPERATIONS = [
  Operation.GET_ITEM,
  Operation.QUERY,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
];

/** The sum of one of our own metrics. */
function ours(deployment: Deployment, name: MetricName, label: string): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName: METRICS[name],
    dimensionsMap: { service: metricsService(deployment) },
    statistic: Stats.SUM,
    label,
  });
}

function workRow({ deployment, queues }: DashboardProps): IWidget[] {
  const { triggers } = queues;
  return [
    graph('Backlog: sources in and out', [
      ours(deployment, 'sourcesIngested', 'ingested'),
      ours(deployment, 'sourcesSettled', 'settled'),
      ours(deployment, 'sourcesReleased', 'released unread'),
    ]),
    graph(
      'Triggers waiting',
      [triggers.metricApproximateNumberOfMessagesVisible({ label: 'waiting', statistic: Stats.MAXIMUM })],
      [triggers.metricApproximateAgeOfOldestMessage({ label: 'oldest, s' })],
    ),
    graph('Passes', [
      ours(deployment, 'passesAdmitted', 'admitted'),
      ours(deployment, 'passesCompleted', 'completed'),
      ours(deployment, 'passesFailed', 'failed'),
      ours(deployment, 'passesExpired', 'expired'),
    ]),
    graph('Leases lost and repairs', [
      ours(deployment, 'leasesLost', 'leases lost'),
      ours(deployment, 'sweepRepairs', 'repaired by the sweep'),
      ours(deployment, 'admissionsRefused', 'admissions refused'),
    ]),
  ];
}

function workerRow({ queues, functions }: DashboardProps): IWidget[] {
  const { worker, finalizer } = functions;
  return [
    graph('Workers at once', [worker.metric('ConcurrentExecutions', { label: 'at once', statistic: Stats.MAXIMUM })]),
    graph('Length of a pass', [
      worker.metricDuration({ label: 'median', statistic: Stats.percentile(50) }),
      worker.metricDuration({ label: 'longest', statistic: Stats.MAXIMUM }),
    ]),
    graph('Age of the stream', [
      finalizer.metric('IteratorAge', { label: 'oldest record, ms', statistic: Stats.MAXIMUM }),
    ]),
    graph('Failed passes waiting', [
      queues.failedPasses.metricApproximateNumberOfMessagesVisible({ label: 'waiting', statistic: Stats.MAXIMUM }),
    ]),
  ];
}

function failingRow({ storage, queues, functions }: DashboardProps): IWidget[] {
  const named = Object.entries(functions);
  return [
    graph(
      'Failures',
      named.map(([name, target]) => target.metricErrors({ label: name })),
    ),
    graph(
      'Longest invocation',
      named.map(([name, target]) => target.metricDuration({ label: name, statistic: Stats.MAXIMUM })),
    ),
    graph(
      'Dead letters',
      Object.entries(queues.deadLetters).map(([name, queue]) =>
        queue.metricApproximateNumberOfMessagesVisible({ label: name, statistic: Stats.MAXIMUM }),
      ),
    ),
    graph(
      'Throttled',
      [storage.control.metricThrottledRequestsForOperations({ operations: OPERATIONS, label: 'control table' })],
      named.map(([name, target]) => target.metricThrottles({ label: name })),
    ),
  ];
}

function addStandardGraphs(scope: Construct, dashboard: Dashboard, props: DashboardProps): void {
  const intoOurPage: IDynamicDashboardFactory = {
    addDynamicSegment: (segment) => dashboard.addWidgets(...segment.widgetsForDashboard(DefaultDashboards.DETAIL)),
    getDashboard: () => dashboard,
  };
  const facade = new MonitoringFacade(scope, 'Standard', { dashboardFactory: intoOurPage });
  for (const [name, lambdaFunction] of Object.entries(props.functions)) {
    facade.monitorLambdaFunction({
      lambdaFunction,
      humanReadableName: name,
      alarmFriendlyName: name,
      isIterator: name === 'finalizer',
    });
  }
  // CDK's interfaces do not spell out `| undefined`, which exactOptionalPropertyTypes asks of its own classes.
  const tables: Record<string, ITable> = {
    control: props.storage.control as ITable,
    text: props.storage.text as ITable,
  };
  for (const [name, table] of Object.entries(tables)) {
    facade.monitorDynamoTable({ table, humanReadableName: name, alarmFriendlyName: name });
  }
  facade.monitorSqsQueueWithDlq({ queue: props.queues.triggers, deadLetterQueue: props.queues.triggersDeadLetters });
  facade.monitorSqsQueueWithDlq({
    queue: props.queues.failedPasses,
    deadLetterQueue: props.queues.failedPassesDeadLetters,
  });
  facade.monitorApiGatewayV2HttpApi({
    api: props.api as IHttpApi,
    humanReadableName: 'api',
    alarmFriendlyName: 'api',
  });
}

/** Adds the dashboard that the deployment's level of observability asks for; none when it is `off`. */
export function addDashboard(scope: Construct, props: DashboardProps): void {
  const { environment, observability } = props.deployment;
  if (observability === 'off') return;
  const dashboard = new Dashboard(scope, 'Dashboard', { defaultInterval: Duration.hours(8) });
  dashboard.addWidgets(new TextWidget({ markdown: `# Nightjar ${environment}`, width: 24, height: 1 }));
  dashboard.addWidgets(...workRow(props));
  dashboard.addWidgets(...workerRow(props));
  dashboard.addWidgets(...failingRow(props));
  if (observability === 'full') addStandardGraphs(scope, dashboard, props);
}
