/** From the template's resources to tables, queues and functions of this machine. */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { pathToFileURL } from 'node:url';
import type { DynamoDb } from '../dynamodb/engine.ts';
import type { SqsEngine } from '../sqs/engine.ts';
import type { FunctionDefinition } from './environment.ts';
import { readNumber, readText } from './properties.ts';
import { functionArn, type Resource, type TemplateResolver } from './template.ts';

export interface TableInfo {
  readonly logicalId: string;
  readonly name: string;
  readonly partitionKey: string;
}

interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

interface IndexProperties {
  readonly IndexName: string;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection: object;
}

const QUEUE_ATTRIBUTES = [
  'VisibilityTimeout',
  'DelaySeconds',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'MaximumMessageSize',
  'FifoQueue',
] as const;
const TABLE_TYPES = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'];
/** AWS's defaults for a function. */
const TIMEOUT_S = 3;
const MEMORY_MIB = 128;
/** No concurrency is reserved, so none is limited: far above what one machine runs. */
const UNRESERVED = 1000;

/** Creates the tables that do not exist yet. Throws when one exists with other keys or indexes. */
export function createTables(dynamodb: DynamoDb, resolver: TemplateResolver): TableInfo[] {
  return resolver.list(...TABLE_TYPES).map((resource) => {
    const { name, properties, logicalId } = resource;
    const keySchema = properties.KeySchema as KeyElement[];
    const existing = listTables(dynamodb);
    if (existing.includes(name)) checkTable(dynamodb, resource);
    else createTable(dynamodb, resource);
    const ttl = properties.TimeToLiveSpecification as { Enabled?: boolean } | undefined;
    if (ttl?.Enabled === true && !existing.includes(name)) {
      dynamodb.dispatch('UpdateTimeToLive', { TableName: name, TimeToLiveSpecification: ttl });
    }
    const partitionKey = keySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName ?? '';
    return { logicalId, name, partitionKey };
  });
}

function listTables(dynamodb: DynamoDb): string[] {
  return dynamodb.dispatch('ListTables', {}).TableNames as string[];
}

function createTable(dynamodb: DynamoDb, { name, properties }: Resource): void {
  const stream = properties.StreamSpecification as { StreamViewType: string } | undefined;
  const indexes = readIndexes(properties);
  dynamodb.dispatch('CreateTable', {
    TableName: name,
    AttributeDefinitions: properties.AttributeDefinitions,
    KeySchema: properties.KeySchema,
    BillingMode: 'PAY_PER_REQUEST',
    ...(indexes.length === 0 ? {} : { GlobalSecondaryIndexes: indexes }),
    ...(stream === undefined
      ? {}
      : { StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType } }),
  });
}

function checkTable(dynamodb: DynamoDb, { name, properties }: Resource): void {
  const { Table: table } = dynamodb.dispatch('DescribeTable', { TableName: name }) as {
    Table: { KeySchema: readonly KeyElement[]; GlobalSecondaryIndexes?: readonly IndexProperties[] };
  };
  const shape = (keys: unknown, indexes: readonly IndexProperties[]) => ({
    keys,
    indexes: indexes
      .map(({ IndexName, KeySchema }) => [IndexName, KeySchema] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  });
  const stored = shape(table.KeySchema, table.GlobalSecondaryIndexes ?? []);
  if (isDeepStrictEqual(stored, shape(properties.KeySchema, readIndexes(properties)))) return;
  throw new Error(
    `Table ${name} in the data folder has other keys or indexes than the template. Move the data folder away to start empty.`,
  );
}

function readIndexes(properties: Resource['properties']): IndexProperties[] {
  const indexes = (properties.GlobalSecondaryIndexes ?? []) as IndexProperties[];
  return indexes.map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection }));
}

/** Creates the queues; returns their names by logical id. */
export function createQueues(sqs: SqsEngine, resolver: TemplateResolver): Map<string, string> {
  const names = new Map<string, string>();
  for (const { logicalId, name, properties } of resolver.list('AWS::SQS::Queue')) {
    const attributes: Record<string, string> = {};
    for (const attribute of QUEUE_ATTRIBUTES) {
      const value = properties[attribute];
      if (value !== undefined) attributes[attribute] = typeof value === 'string' ? value : JSON.stringify(value);
    }
    if (properties.RedrivePolicy !== undefined) attributes.RedrivePolicy = JSON.stringify(properties.RedrivePolicy);
    sqs.createQueue(name, attributes);
    names.set(logicalId, name);
  }
  return names;
}

/** Throws for a stage that answers under a path of its own, which is not emulated. */
export function checkStages(resolver: TemplateResolver): void {
  for (const stage of resolver.list('AWS::ApiGatewayV2::Stage')) {
    const name = readText(stage, 'StageName');
    if (name !== '$default') throw new Error(`Stage ${stage.logicalId} is named ${name}; only $default is emulated.`);
  }
}

/** The functions that name their source file; others (of custom resources, for one) do not run on one machine. */
export function readFunctions(resolver: TemplateResolver, root: string): FunctionDefinition[] {
  const resources = resolver.list('AWS::Lambda::Function');
  return resources.flatMap((resource) => {
    const { logicalId, name, properties, entry } = resource;
    if (entry === undefined) return [];
    const variables = (properties.Environment as { Variables?: Record<string, unknown> } | undefined)?.Variables ?? {};
    const definition: FunctionDefinition = {
      logicalId,
      name,
      arn: functionArn(name),
      entryUrl: pathToFileURL(path.resolve(root, entry)).href,
      timeoutMs: readNumber(resource, 'Timeout', TIMEOUT_S) * 1000,
      memoryMiB: readNumber(resource, 'MemorySize', MEMORY_MIB),
      concurrencyMax: readNumber(resource, 'ReservedConcurrentExecutions', UNRESERVED),
      variables: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, String(value)])),
    };
    return [definition];
  });
}
