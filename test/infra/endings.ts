/**
 * Whether every pass can end: what the template must hold so that a terminal pass is finalized, a failed invocation is
 * noticed and a lost message is repaired. Each missing piece is one sentence.
 */
import { ENVIRONMENT } from '../../schema/environment.ts';
import { STREAM_FILTERS } from '../../schema/edges.ts';
import { at, functionId, grantsOf, mayDo, nameOf, type Resource, resourcesOf, type Template } from './template.ts';

function mappingsOf(template: Template): Resource[] {
  return resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
    .map(([, mapping]) => mapping)
    .filter((mapping) => mapping.Properties.Enabled !== false);
}

function findStreamGaps(template: Template): string[] {
  const finalizer = functionId(template, 'finalizer');
  const mapping = mappingsOf(template).find(
    ({ Properties }) =>
      nameOf(Properties.EventSourceArn).endsWith('.StreamArn') && nameOf(Properties.FunctionName) === finalizer,
  );
  if (mapping === undefined) return ['no stream wakes the finalizer'];
  const gaps: string[] = [];
  const stream = nameOf(mapping.Properties.EventSourceArn);
  const table = template.Resources[stream.split('.')[0] as string];
  if (at(table?.Properties, 'StreamSpecification', 'StreamViewType') !== 'NEW_IMAGE') {
    gaps.push('the stream carries no new image');
  }
  const patterns = (at(mapping.Properties, 'FilterCriteria', 'Filters') as unknown[] | undefined) ?? [];
  const wanted = STREAM_FILTERS.map((pattern) => JSON.stringify(pattern));
  if (wanted.some((pattern) => !patterns.some((filter) => at(filter, 'Pattern') === pattern))) {
    gaps.push('the stream does not let every terminal pass through');
  }
  const destination = at(mapping.Properties, 'DestinationConfig', 'OnFailure', 'Destination');
  if (destination === undefined) gaps.push('a stream batch that fails goes nowhere');
  else if (!mayDo(template, finalizer, 'sqs:SendMessage', nameOf(destination))) {
    gaps.push('the finalizer may not send to its failure queue');
  }
  for (const action of ['DescribeStream', 'GetRecords', 'GetShardIterator']) {
    if (!mayDo(template, finalizer, `dynamodb:${action}`, stream)) gaps.push(`the finalizer may not ${action}`);
  }
  return gaps;
}

function findWorkerGaps(template: Template): string[] {
  const worker = functionId(template, 'worker');
  const scheduler = functionId(template, 'scheduler');
  const gaps: string[] = [];
  const config = resourcesOf(template, 'AWS::Lambda::EventInvokeConfig').find(
    ([, { Properties }]) => nameOf(Properties.FunctionName) === worker && Properties.Qualifier === '$LATEST',
  );
  const destination = at(config?.[1].Properties, 'DestinationConfig', 'OnFailure', 'Destination');
  if (destination === undefined) gaps.push('a failed invocation of the worker goes nowhere');
  else if (!mayDo(template, worker, 'sqs:SendMessage', nameOf(destination))) {
    gaps.push('the worker may not send to its failure queue');
  }
  if (!mayDo(template, scheduler, 'lambda:InvokeFunction', `${worker}.Arn`)) {
    gaps.push('the scheduler may not invoke the worker');
  }
  const variables = at(template.Resources[scheduler]?.Properties, 'Environment', 'Variables');
  if (at(variables, ENVIRONMENT.workerFunction, 'Ref') !== worker) gaps.push('the scheduler does not know the worker');
  return gaps;
}

function findSweepGaps(template: Template): string[] {
  const scheduler = functionId(template, 'scheduler');
  const schedule = resourcesOf(template, 'AWS::Scheduler::Schedule').find(
    ([, { Properties }]) =>
      nameOf(at(Properties, 'Target', 'Arn')) === `${scheduler}.Arn` && Properties.State !== 'DISABLED',
  );
  if (schedule === undefined) return ['nothing wakes the sweep'];
  const role = nameOf(at(schedule[1].Properties, 'Target', 'RoleArn')).split('.')[0] as string;
  const allowed = grantsOf(template, role).some(
    ({ action, resource }) => action === 'lambda:InvokeFunction' && resource === `${scheduler}.Arn`,
  );
  return allowed ? [] : ['the schedule may not invoke the scheduler'];
}

/** Queues that end a path: a redrive target, a stream's failure destination, a schedule's dead-letter queue. */
function deadLetterArns(template: Template): Set<string> {
  const targets = Object.values(template.Resources).flatMap(({ Type, Properties }) => [
    at(Properties, 'RedrivePolicy', 'deadLetterTargetArn'),
    at(Properties, 'Target', 'DeadLetterConfig', 'Arn'),
    Type === 'AWS::Lambda::EventSourceMapping'
      ? at(Properties, 'DestinationConfig', 'OnFailure', 'Destination')
      : undefined,
  ]);
  return new Set(targets.filter((target) => target !== undefined).map(nameOf));
}

function findQueueGaps(template: Template): string[] {
  const consumed = new Map(
    mappingsOf(template).map(({ Properties }) => [nameOf(Properties.EventSourceArn), nameOf(Properties.FunctionName)]),
  );
  const deadLetters = deadLetterArns(template);
  return resourcesOf(template, 'AWS::SQS::Queue').flatMap(([id]) => {
    const arn = `${id}.Arn`;
    if (deadLetters.has(arn)) return [];
    const consumer = consumed.get(arn);
    if (consumer === undefined) return [`nobody consumes ${id}`];
    const needed = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
    return needed.every((action) => mayDo(template, consumer, action, arn)) ? [] : [`the consumer of ${id} may not`];
  });
}

/** Every reason why some pass could not end; empty when each can. */
export function findEndingGaps(template: Template): string[] {
  return [
    ...findStreamGaps(template),
    ...findWorkerGaps(template),
    ...findSweepGaps(template),
    ...findQueueGaps(template),
  ];
}
