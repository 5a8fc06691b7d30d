import { describe, expect, it } from 'vitest';
import { STREAM_FILTERS } from '../../schema/edges.ts';
import { SETTING_RANGES } from '../../schema/settings.ts';
import { at, functionId, loadTemplate, nameOf, type Resource, resourcesOf, type Template } from './template.ts';

const template = loadTemplate();

function find(from: Template, type: string, idStart: string): Resource {
  const found = resourcesOf(from, type).find(([id]) => new RegExp(`^${idStart}[0-9A-F]{8}$`).test(id));
  if (found === undefined) throw new Error(`The template has no ${type} whose id is ${idStart} and a hash.`);
  return found[1];
}

const mapping = (id: string) => find(template, 'AWS::Lambda::EventSourceMapping', id).Properties;
const queue = (id: string) => find(template, 'AWS::SQS::Queue', id).Properties;

describe('the settings of each edge', () => {
  it('schedule → scheduler: every minute, exactly, at most a minute late, one retry, a dead-letter queue', () => {
    const { Properties } = find(template, 'AWS::Scheduler::Schedule', 'TickSchedule');
    expect(Properties).toMatchObject({
      ScheduleExpression: 'rate(1 minute)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 1 } },
    });
    expect(JSON.parse(String(at(Properties, 'Target', 'Input')))).toEqual({ tick: '<aws.scheduler.scheduled-time>' });
    expect(nameOf(at(Properties, 'Target', 'DeadLetterConfig', 'Arn'))).toMatch(/^QueuesTickDeadLetters/);
  });

  it('ticks run at most once each and not after their minute', () => {
    const { Properties } = find(template, 'AWS::Lambda::EventInvokeConfig', 'EdgesTick');
    expect(nameOf(Properties.FunctionName)).toBe(functionId(template, 'scheduler'));
    expect(Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60, Qualifier: '$LATEST' });
  });

  it('schedule → eraser: every five minutes, one retry, the same dead-letter queue, longer than its calls', () => {
    const { Properties } = find(template, 'AWS::Scheduler::Schedule', 'EraserTickSchedule');
    expect(Properties).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
      Target: { RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 1 } },
    });
    expect(JSON.parse(String(at(Properties, 'Target', 'Input')))).toEqual({ tick: '<aws.scheduler.scheduled-time>' });
    expect(nameOf(at(Properties, 'Target', 'DeadLetterConfig', 'Arn'))).toMatch(/^QueuesTickDeadLetters/);
    const { Properties: invoked } = find(template, 'AWS::Lambda::EventInvokeConfig', 'EdgesEraserTick');
    expect(invoked).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 300, Qualifier: '$LATEST' });
    expect(template.Resources[functionId(template, 'eraser')]?.Properties).toMatchObject({ Timeout: 60 });
  });

  it.each(['EdgesTriggers', 'EdgesFailedPasses'])('queue → scheduler: %s', (id) => {
    expect(mapping(id)).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 2 },
    });
    expect(mapping(id)).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    expect(nameOf(mapping(id).FunctionName)).toBe(functionId(template, 'scheduler'));
  });

  it('scheduler → worker: no retry, five minutes, failures to their queue, of the version that is invoked', () => {
    const { Properties } = find(template, 'AWS::Lambda::EventInvokeConfig', 'EdgesWork');
    expect(nameOf(Properties.FunctionName)).toBe(functionId(template, 'worker'));
    expect(Properties).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 300, Qualifier: '$LATEST' });
    expect(nameOf(at(Properties, 'DestinationConfig', 'OnFailure', 'Destination'))).toMatch(/^QueuesFailedPasses/);
    expect(template.Resources[functionId(template, 'worker')]?.Properties).toMatchObject({
      Timeout: 630,
      MemorySize: 1024,
    });
  });

  it('stream → finalizer: small batches, bisected, five retries, one hour, the rest to its queue', () => {
    expect(mapping('EdgesStream')).toMatchObject({
      BatchSize: 10,
      StartingPosition: 'TRIM_HORIZON',
      ParallelizationFactor: 4,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 5,
      MaximumRecordAgeInSeconds: 3600,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      FilterCriteria: { Filters: STREAM_FILTERS.map((pattern) => ({ Pattern: JSON.stringify(pattern) })) },
    });
    expect(mapping('EdgesStream')).not.toHaveProperty('MaximumBatchingWindowInSeconds');
  });

  it('every queue is encrypted and refuses plain connections', () => {
    const queues = resourcesOf(template, 'AWS::SQS::Queue');
    expect(queues).toHaveLength(6);
    for (const [id, { Properties }] of queues) {
      expect(Properties.SqsManagedSseEnabled, id).toBe(true);
      const policy = resourcesOf(template, 'AWS::SQS::QueuePolicy').find(([, candidate]) =>
        (candidate.Properties.Queues as unknown[]).map(nameOf).includes(id),
      );
      expect(JSON.stringify(policy), id).toContain('{"Bool":{"aws:SecureTransport":"false"}}');
    }
  });

  it.each(['Triggers', 'FailedPasses'])(
    'the queue of %s gives a message five chances, then keeps it 14 days',
    (name) => {
      expect(queue(`Queues${name}`)).toMatchObject({ VisibilityTimeout: 180, RedrivePolicy: { maxReceiveCount: 5 } });
      expect(queue(`Queues${name}DeadLetters`)).toMatchObject({ MessageRetentionPeriod: 14 * 86_400 });
    },
  );
});

/** SQS keeps a message this long when the queue does not say otherwise. */
const DEFAULT_RETENTION_S = 4 * 86_400;

/** Every relation between settings of the template that does not hold. */
function findBrokenRelations(from: Template): string[] {
  const broken: string[] = [];
  for (const [, { Properties }] of resourcesOf(from, 'AWS::Lambda::EventSourceMapping')) {
    const source = from.Resources[nameOf(Properties.EventSourceArn).split('.')[0] as string];
    if (source?.Type !== 'AWS::SQS::Queue') continue;
    const timeoutS = Number(from.Resources[nameOf(Properties.FunctionName)]?.Properties.Timeout);
    if (Number(source.Properties.VisibilityTimeout ?? 30) < 6 * timeoutS) broken.push('visibility < 6 × timeout');
    const target = nameOf(at(source.Properties, 'RedrivePolicy', 'deadLetterTargetArn') ?? 'none').split('.')[0];
    const keptS = Number(from.Resources[target as string]?.Properties.MessageRetentionPeriod ?? DEFAULT_RETENTION_S);
    if (keptS <= Number(source.Properties.MessageRetentionPeriod ?? DEFAULT_RETENTION_S)) {
      broken.push('a dead letter may expire before anyone can see it');
    }
  }
  const workerTimeoutS = Number(from.Resources[functionId(from, 'worker')]?.Properties.Timeout);
  const longestPassS = SETTING_RANGES.passTimeoutMs.max / 1000;
  if (workerTimeoutS < longestPassS + 30) broken.push('the worker ends before its longest pass');
  if (workerTimeoutS > 900) broken.push('the worker is longer than Lambda allows');
  return broken;
}

describe('the relations between settings', () => {
  it('hold', () => {
    expect(findBrokenRelations(template)).toEqual([]);
  });

  it.each<[string, (copy: Template) => void]>([
    [
      'visibility < 6 × timeout',
      (copy) => (find(copy, 'AWS::SQS::Queue', 'QueuesFailedPasses').Properties.VisibilityTimeout = 179),
    ],
    [
      'a dead letter may expire before anyone can see it',
      (copy) => delete find(copy, 'AWS::SQS::Queue', 'QueuesTriggersDeadLetters').Properties.MessageRetentionPeriod,
    ],
    [
      'the worker ends before its longest pass',
      (copy) => Object.assign(copy.Resources[functionId(copy, 'worker')]?.Properties ?? {}, { Timeout: 629 }),
    ],
    [
      'the worker is longer than Lambda allows',
      (copy) => Object.assign(copy.Resources[functionId(copy, 'worker')]?.Properties ?? {}, { Timeout: 901 }),
    ],
  ])('are noticed when broken: %s', (words, change) => {
    const copy = structuredClone(template);
    change(copy);
    expect(findBrokenRelations(copy)).toEqual([words]);
  });
});
