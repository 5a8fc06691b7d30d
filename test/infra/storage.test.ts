import { describe, expect, it } from 'vitest';
import { INDEXES, PARTITION_KEY, SORT_KEY, TTL_ATTRIBUTE } from '../../schema/table.ts';
import { at, loadTemplate, type Resource, resourcesOf } from './template.ts';

function tableOf(context: Record<string, unknown>, name: 'Control' | 'Text'): Resource {
  const found = resourcesOf(loadTemplate(context), 'AWS::DynamoDB::GlobalTable').find(([id]) =>
    id.startsWith(`Storage${name}`),
  );
  if (found === undefined) throw new Error(`The template has no ${name} table.`);
  return found[1];
}

const control = tableOf({}, 'Control');
const text = tableOf({}, 'Text');

describe('the tables', () => {
  it.each([
    ['control', control],
    ['text', text],
  ])('%s has the keys of the schema and is paid by request', (_name, table) => {
    expect(table.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: PARTITION_KEY, KeyType: 'HASH' },
        { AttributeName: SORT_KEY, KeyType: 'RANGE' },
      ],
    });
  });

  it('control has a stream of new images, native TTL and nothing else that carries rows away', () => {
    expect(control.Properties).toMatchObject({
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true },
    });
  });

  it('text has no stream and no index, and native TTL for the parts of uploads', () => {
    for (const property of ['StreamSpecification', 'GlobalSecondaryIndexes']) {
      expect(text.Properties).not.toHaveProperty(property);
    }
    const TimeToLiveSpecification = { AttributeName: TTL_ATTRIBUTE, Enabled: true };
    expect(text.Properties).toMatchObject({ TimeToLiveSpecification });
  });

  it('control has exactly the indexes of the schema, in the first template', () => {
    const expected = Object.entries(INDEXES).map(([IndexName, { partition, sort, include }]) => ({
      IndexName,
      KeySchema: [
        { AttributeName: partition.name, KeyType: 'HASH' },
        { AttributeName: sort.name, KeyType: 'RANGE' },
      ],
      Projection:
        include.length > 0
          ? { ProjectionType: 'INCLUDE', NonKeyAttributes: [...include] }
          : { ProjectionType: 'KEYS_ONLY' },
    }));
    const found = control.Properties.GlobalSecondaryIndexes as Record<string, unknown>[];
    expect(found.map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection }))).toEqual(
      expected,
    );
  });

  it('control types every key attribute as the schema does', () => {
    const types = new Map(
      (control.Properties.AttributeDefinitions as Record<string, string>[]).map((one) => [
        one.AttributeName,
        one.AttributeType,
      ]),
    );
    for (const { partition, sort } of Object.values(INDEXES)) {
      expect(types.get(partition.name)).toBe(partition.type);
      expect(types.get(sort.name)).toBe(sort.type);
    }
  });
});

describe.each(['Control', 'Text'] as const)('the %s table outlives mistakes', (name) => {
  const replica = (table: Resource) => at(table.Properties, 'Replicas', 0);

  it('in prod: recovery, deletion protection, kept when the stack goes, no ceiling', () => {
    const table = tableOf({ env: 'prod' }, name);
    expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(replica(table)).toMatchObject({
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
    });
    expect(table.Properties).not.toHaveProperty('WriteOnDemandThroughputSettings');
  });

  it('in dev: gone with the stack, and a ceiling on what a loop can cost', () => {
    const table = tableOf({ env: 'dev' }, name);
    expect(table).toMatchObject({ DeletionPolicy: 'Delete' });
    expect(replica(table)).toMatchObject({
      DeletionProtectionEnabled: false,
      ReadOnDemandThroughputSettings: { MaxReadRequestUnits: 2_000 },
    });
    expect(table.Properties.WriteOnDemandThroughputSettings).toEqual({ MaxWriteRequestUnits: 1_000 });
  });
});

describe('logs', () => {
  it.each([
    ['dev', 7, 'Delete'],
    ['staging', 30, 'Delete'],
    ['prod', 90, 'Retain'],
  ])('of %s are kept %i days', (env, days, policy) => {
    const template = loadTemplate({ env });
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup');
    // One of each function, and the access log of the API.
    expect(groups).toHaveLength(resourcesOf(template, 'AWS::Lambda::Function').length + 1);
    for (const [, group] of groups) {
      expect(group.Properties.RetentionInDays).toBe(days);
      expect(group.DeletionPolicy).toBe(policy);
    }
  });
});
