import { describe, expect, it } from 'vitest';
import { ENVIRONMENT } from '../../schema/environment.ts';
import { findEndingGaps } from './endings.ts';
import { at, functionId, loadTemplate, nameOf, roleOf, resourcesOf, type Template } from './template.ts';

const original = loadTemplate();

/** The template as changed by `change`, which gets a copy. */
function changed(change: (template: Template) => void): Template {
  const copy = structuredClone(original);
  change(copy);
  return copy;
}

function dropWhere(template: Template, type: string, matches: (properties: Record<string, unknown>) => boolean): void {
  for (const [id, resource] of resourcesOf(template, type)) {
    if (matches(resource.Properties)) delete template.Resources[id];
  }
}

/** Takes one action away from the role, wherever a statement allows it on a resource that contains `resource`. */
function revoke(template: Template, roleId: string, action: string, resource: string): void {
  for (const [, policy] of resourcesOf(template, 'AWS::IAM::Policy')) {
    if (!(policy.Properties.Roles as unknown[]).map(nameOf).includes(roleId)) continue;
    for (const statement of at(policy.Properties.PolicyDocument, 'Statement') as Record<string, unknown>[]) {
      const actions = [statement.Action].flat();
      if (!JSON.stringify(statement.Resource).includes(resource)) continue;
      statement.Action = actions.filter((candidate) => candidate !== action);
    }
  }
}

const isStream = ({ EventSourceArn }: Record<string, unknown>) => nameOf(EventSourceArn).endsWith('.StreamArn');
const streamMapping = (template: Template) =>
  resourcesOf(template, 'AWS::Lambda::EventSourceMapping').find(([, { Properties }]) => isStream(Properties));
const consumes =
  (queue: string) =>
  ({ EventSourceArn }: Record<string, unknown>) =>
    nameOf(EventSourceArn).startsWith(queue);
const roleOfFunction = (template: Template, name: 'worker' | 'scheduler' | 'finalizer') =>
  roleOf(template, functionId(template, name));
const queueId = (prefix: string) => {
  const found = resourcesOf(original, 'AWS::SQS::Queue').find(([id]) => new RegExp(`^${prefix}[0-9A-F]{8}$`).test(id));
  return found?.[0] ?? `no queue ${prefix}`;
};
const triggers = queueId('QueuesTriggers');
const failedPasses = queueId('QueuesFailedPasses');
const streamFailures = queueId('QueuesStreamFailures');

const TWINS: readonly (readonly [missing: string, change: (template: Template) => void, gap: string])[] = [
  [
    'the stream mapping',
    (template) => dropWhere(template, 'AWS::Lambda::EventSourceMapping', isStream),
    'no stream wakes the finalizer',
  ],
  [
    'the stream mapping switched off',
    (template) => Object.assign(streamMapping(template)?.[1].Properties ?? {}, { Enabled: false }),
    'no stream wakes the finalizer',
  ],
  [
    'one of the filters',
    (template) => (at(streamMapping(template)?.[1].Properties, 'FilterCriteria', 'Filters') as unknown[]).shift(),
    'the stream does not let every terminal pass through',
  ],
  [
    'the new image',
    (template) => {
      for (const [, table] of resourcesOf(template, 'AWS::DynamoDB::GlobalTable')) {
        if (table.Properties.StreamSpecification)
          table.Properties.StreamSpecification = { StreamViewType: 'KEYS_ONLY' };
      }
    },
    'the stream carries no new image',
  ],
  [
    'the failure destination of the stream',
    (template) => {
      delete streamMapping(template)?.[1].Properties.DestinationConfig;
    },
    'a stream batch that fails goes nowhere',
  ],
  [
    'the right to send a failed batch',
    (template) => revoke(template, roleOfFunction(template, 'finalizer'), 'sqs:SendMessage', streamFailures),
    'the finalizer may not send to its failure queue',
  ],
  [
    'the right to read the stream',
    (template) => revoke(template, roleOfFunction(template, 'finalizer'), 'dynamodb:GetRecords', 'StreamArn'),
    'the finalizer may not GetRecords',
  ],
  [
    'the failure destination of the worker',
    (template) =>
      dropWhere(template, 'AWS::Lambda::EventInvokeConfig', (properties) => properties.DestinationConfig !== undefined),
    'a failed invocation of the worker goes nowhere',
  ],
  [
    'the right to send a failed invocation',
    (template) => revoke(template, roleOfFunction(template, 'worker'), 'sqs:SendMessage', failedPasses),
    'the worker may not send to its failure queue',
  ],
  [
    'the right to invoke the worker',
    (template) => revoke(template, roleOfFunction(template, 'scheduler'), 'lambda:InvokeFunction', 'ComputeWorker'),
    'the scheduler may not invoke the worker',
  ],
  [
    'the name of the worker',
    (template) => {
      const scheduler = template.Resources[functionId(template, 'scheduler')];
      const variables = at(scheduler?.Properties, 'Environment', 'Variables') as Record<string, unknown>;
      delete variables[ENVIRONMENT.workerFunction];
    },
    'the scheduler does not know the worker',
  ],
  [
    'the schedule',
    (template) => dropWhere(template, 'AWS::Scheduler::Schedule', () => true),
    'nothing wakes the sweep',
  ],
  [
    'the right of the schedule',
    (template) => {
      const [tickRole] = resourcesOf(template, 'AWS::IAM::Role').find(([id]) => id.startsWith('TickRole')) ?? [''];
      revoke(template, tickRole, 'lambda:InvokeFunction', 'ComputeScheduler');
    },
    'the schedule may not invoke the scheduler',
  ],
  [
    'the consumer of the triggers',
    (template) => dropWhere(template, 'AWS::Lambda::EventSourceMapping', consumes(triggers)),
    `nobody consumes ${triggers}`,
  ],
  [
    'the consumer of the failed passes',
    (template) => dropWhere(template, 'AWS::Lambda::EventSourceMapping', consumes(failedPasses)),
    `nobody consumes ${failedPasses}`,
  ],
  [
    'the right to delete a trigger',
    (template) => revoke(template, roleOfFunction(template, 'scheduler'), 'sqs:DeleteMessage', triggers),
    `the consumer of ${triggers} may not`,
  ],
];

describe('every pass can end', () => {
  it.each(['dev', 'staging', 'prod'])('in %s', (env) => {
    expect(findEndingGaps(loadTemplate({ env }))).toEqual([]);
  });

  it.each(TWINS)('fails without %s', (_missing, change, gap) => {
    expect(findEndingGaps(changed(change))).toContain(gap);
  });
});
