import { describe, expect, it } from 'vitest';
import { FUNCTION_NAMES } from '../../infra/deployment.ts';
import type { FunctionName } from '../../schema/environment.ts';
import { functionId, type Grant, grantsOf, loadTemplate, resourcesOf, roleOf, type Template } from './template.ts';

const template = loadTemplate();

const READ_QUEUE = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];
const WRITE_LOG = ['logs:CreateLogStream', 'logs:PutLogEvents'];

/** What each role may do, spelled out a second time on purpose: whoever widens a role must say so here as well. */
const EXPECTED: Record<FunctionName, Record<string, readonly string[]>> = {
  ingest: {
    'StorageControl.Arn': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    'StorageText.Arn': ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
    'ComputeIngestLog.Arn': WRITE_LOG,
  },
  trigger: {
    'StorageControl.Arn': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    'StorageControl.Arn/index/queue': ['dynamodb:Query'],
    'QueuesTriggers.Arn': ['sqs:SendMessage'],
    'ComputeTriggerLog.Arn': WRITE_LOG,
  },
  reader: {
    'StorageControl.Arn': ['dynamodb:GetItem', 'dynamodb:Query'],
    'StorageControl.Arn/index/queue': ['dynamodb:Query'],
    'StorageControl.Arn/index/work': ['dynamodb:Query'],
    'ComputeReaderLog.Arn': WRITE_LOG,
  },
  curator: {
    'StorageControl.Arn': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
    'ComputeCuratorLog.Arn': WRITE_LOG,
  },
  eraser: {
    'StorageControl.Arn': [
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ],
    'StorageControl.Arn/index/work': ['dynamodb:Query'],
    'StorageText.Arn': ['dynamodb:DeleteItem', 'dynamodb:Query'],
    'ComputeEraserLog.Arn': WRITE_LOG,
  },
  scheduler: {
    'StorageControl.Arn': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
    'StorageControl.Arn/index/due': ['dynamodb:Query'],
    'StorageControl.Arn/index/queue': ['dynamodb:Query'],
    'StorageControl.Arn/index/work': ['dynamodb:Query'],
    'QueuesTriggers.Arn': READ_QUEUE,
    'QueuesFailedPasses.Arn': READ_QUEUE,
    'ComputeWorker.Arn': ['lambda:InvokeFunction'],
    'ComputeSchedulerLog.Arn': WRITE_LOG,
  },
  worker: {
    'StorageControl.Arn': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
    'StorageControl.Arn/index/queue': ['dynamodb:Query'],
    'StorageText.Arn': ['dynamodb:BatchGetItem'],
    'QueuesFailedPasses.Arn': ['sqs:SendMessage'],
    'QueuesTriggers.Arn': ['sqs:SendMessage'],
    'ComputeWorkerLog.Arn': WRITE_LOG,
  },
  finalizer: {
    'StorageControl.Arn': [
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ],
    'StorageControl.Arn/index/queue': ['dynamodb:Query'],
    'StorageControl.StreamArn': ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
    'StorageControl.Arn/stream/*': ['dynamodb:ListStreams'],
    'QueuesTriggers.Arn': ['sqs:SendMessage'],
    'QueuesStreamFailures.Arn': ['sqs:SendMessage'],
    'ComputeFinalizerLog.Arn': WRITE_LOG,
  },
};

/** Logical ids end in eight hexadecimal digits that say nothing to a reader. */
function readable(resource: string): string {
  return resource.replace(/^([A-Za-z]+)[0-9A-F]{8}\b/, '$1');
}

function byResource(grants: readonly Grant[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { action, resource } of grants) (found[readable(resource)] ??= []).push(action);
  for (const actions of Object.values(found)) actions.sort();
  return found;
}

function rightsOf(from: Template, name: FunctionName): Record<string, string[]> {
  return byResource(grantsOf(from, roleOf(from, functionId(from, name))));
}

/** A copy in which this function's role has one statement more. */
function withStatement(name: FunctionName, statement: Record<string, unknown>): Template {
  const copy = structuredClone(template);
  const role = roleOf(copy, functionId(copy, name));
  copy.Resources.Extra = {
    Type: 'AWS::IAM::Policy',
    Properties: { Roles: [{ Ref: role }], PolicyDocument: { Statement: [statement] } },
  };
  return copy;
}

/** Statements with a wildcard, and any right to read a whole table. */
function findWideGrants(from: Template): string[] {
  return resourcesOf(from, 'AWS::IAM::Role').flatMap(([role]) =>
    grantsOf(from, role)
      .filter(({ action, resource }) => `${action} ${resource}`.includes('*') || /Scan|PartiQL/.test(action))
      .map(({ action, resource }) => `${action} on ${readable(resource)}`),
  );
}

describe('the rights of each function', () => {
  it.each(FUNCTION_NAMES)('are exactly the listed ones: %s', (name) => {
    expect(rightsOf(template, name)).toEqual(EXPECTED[name]);
  });

  it('are noticed when they grow', () => {
    const grown = withStatement('trigger', { Action: 'dynamodb:DeleteItem', Resource: 'StorageControl.Arn' });
    expect(rightsOf(grown, 'trigger')).not.toEqual(EXPECTED.trigger);
  });

  it('hold one wildcard and no scan', () => {
    expect(findWideGrants(template)).toEqual(['dynamodb:ListStreams on StorageControl.Arn/stream/*']);
  });

  it.each([
    ['dynamodb:Scan', 'StorageControl.Arn'],
    ['dynamodb:*', 'StorageControl.Arn'],
    ['dynamodb:Query', '*'],
  ])('are refused when wide: %s on %s', (Action, Resource) => {
    expect(findWideGrants(withStatement('reader', { Action, Resource }))).toContain(`${Action} on ${Resource}`);
  });

  it('come from no managed policy and no policy inside a role', () => {
    for (const [, { Properties }] of resourcesOf(template, 'AWS::IAM::Role')) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(Properties).not.toHaveProperty('Policies');
    }
  });

  it('are not shared: each function has a role of its own', () => {
    const roles = FUNCTION_NAMES.map((name) => roleOf(template, functionId(template, name)));
    expect(new Set(roles).size).toBe(FUNCTION_NAMES.length);
  });

  it('to delete are the eraser’s alone, but for the LEASE rows of the finalizer', () => {
    const deleting = FUNCTION_NAMES.flatMap((name) =>
      Object.entries(rightsOf(template, name))
        .filter(([, actions]) => actions.includes('dynamodb:DeleteItem'))
        .map(([resource]) => `${name} ${resource}`),
    );
    expect(deleting).toEqual(['eraser StorageControl.Arn', 'eraser StorageText.Arn', 'finalizer StorageControl.Arn']);
  });

  it.each(['scheduler', 'finalizer', 'trigger', 'reader', 'curator'] as const)('know no text: %s', (name) => {
    const role = roleOf(template, functionId(template, name));
    expect(grantsOf(template, role).filter(({ resource }) => resource.startsWith('StorageText'))).toEqual([]);
  });
});
