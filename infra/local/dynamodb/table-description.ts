/**
 * What CreateTable makes of a request and DescribeTable returns. A table is rebuilt from it when a log is opened again.
 */
import { randomUUID } from 'node:crypto';
import { validationFault } from './fault.ts';

export type KeySchema = readonly { readonly AttributeName: string; readonly KeyType: 'HASH' | 'RANGE' }[];

export interface IndexDefinition {
  readonly IndexName: string;
  readonly KeySchema: KeySchema;
  readonly Projection: {
    readonly ProjectionType: 'ALL' | 'INCLUDE' | 'KEYS_ONLY';
    readonly NonKeyAttributes?: readonly string[];
  };
}

export type StreamViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

/** A CreateTable request after dynalite's check. */
export interface TableDefinition {
  readonly TableName: string;
  readonly AttributeDefinitions: readonly { readonly AttributeName: string; readonly AttributeType: 'S' | 'N' | 'B' }[];
  readonly KeySchema: KeySchema;
  readonly GlobalSecondaryIndexes?: readonly IndexDefinition[];
  readonly StreamSpecification?: { readonly StreamEnabled?: boolean; readonly StreamViewType?: StreamViewType };
  readonly DeletionProtectionEnabled?: boolean;
}

export interface TableDescription {
  readonly TableName: string;
  readonly TableArn: string;
  readonly TableId: string;
  readonly TableStatus: 'ACTIVE';
  readonly CreationDateTime: number;
  readonly AttributeDefinitions: TableDefinition['AttributeDefinitions'];
  readonly KeySchema: KeySchema;
  readonly BillingModeSummary: { readonly BillingMode: 'PAY_PER_REQUEST' };
  readonly DeletionProtectionEnabled: boolean;
  readonly GlobalSecondaryIndexes?: readonly (IndexDefinition & {
    readonly IndexStatus: 'ACTIVE';
    readonly IndexArn: string;
  })[];
  readonly StreamSpecification?: { readonly StreamEnabled: true; readonly StreamViewType: StreamViewType };
  readonly LatestStreamLabel?: string;
  readonly LatestStreamArn?: string;
}

const STREAM_VIEW_TYPES: readonly string[] = ['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'];
/** No account is behind the engine; twelve zeros can be no real one. */
const ACCOUNT = '000000000000';

export function tableArn(region: string, name: string): string {
  return `arn:aws:dynamodb:${region}:${ACCOUNT}:table/${name}`;
}

/**
 * The description of a new table. `createdAtMs` must differ from every earlier table's of the same name: it labels the
 * stream. Throws a ValidationException for what dynalite's check lets through and AWS does not.
 */
export function describeNewTable(definition: TableDefinition, region: string, createdAtMs: number): TableDescription {
  checkDefinedAttributes(definition);
  const arn = tableArn(region, definition.TableName);
  const streamViewType = readStreamViewType(definition.StreamSpecification);
  const label = new Date(createdAtMs).toISOString().slice(0, -1);
  return {
    TableName: definition.TableName,
    TableArn: arn,
    TableId: randomUUID(),
    TableStatus: 'ACTIVE',
    CreationDateTime: createdAtMs / 1000,
    AttributeDefinitions: definition.AttributeDefinitions,
    KeySchema: definition.KeySchema,
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    DeletionProtectionEnabled: definition.DeletionProtectionEnabled ?? false,
    ...(definition.GlobalSecondaryIndexes && {
      GlobalSecondaryIndexes: definition.GlobalSecondaryIndexes.map((index) => ({
        ...index,
        IndexStatus: 'ACTIVE' as const,
        IndexArn: `${arn}/index/${index.IndexName}`,
      })),
    }),
    ...(streamViewType && {
      StreamSpecification: { StreamEnabled: true as const, StreamViewType: streamViewType },
      LatestStreamLabel: label,
      LatestStreamArn: `${arn}/stream/${label}`,
    }),
  };
}

function readStreamViewType(specification: TableDefinition['StreamSpecification']): StreamViewType | undefined {
  if (specification === undefined) return undefined;
  const { StreamEnabled: enabled, StreamViewType: viewType } = specification;
  if (enabled === true && viewType !== undefined && STREAM_VIEW_TYPES.includes(viewType)) return viewType;
  if (enabled === false && viewType === undefined) return undefined;
  throw validationFault(
    `StreamSpecification ${JSON.stringify(specification)} is not valid: either StreamEnabled is true and StreamViewType one of ${STREAM_VIEW_TYPES.join(', ')}, or StreamEnabled is false and there is no StreamViewType.`,
  );
}

function checkDefinedAttributes({
  AttributeDefinitions,
  KeySchema,
  GlobalSecondaryIndexes = [],
}: TableDefinition): void {
  const used = new Set(
    [KeySchema, ...GlobalSecondaryIndexes.map((index) => index.KeySchema)].flat().map((key) => key.AttributeName),
  );
  const defined = AttributeDefinitions.map(({ AttributeName }) => AttributeName);
  if (new Set(defined).size !== used.size || defined.length !== used.size) {
    throw validationFault(
      `One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: [${defined.join(', ')}], keys used: [${[...used].join(', ')}]`,
    );
  }
  for (const { IndexName, Projection } of GlobalSecondaryIndexes) {
    if (Projection.ProjectionType === 'INCLUDE' && Projection.NonKeyAttributes === undefined) {
      throw validationFault(
        `One or more parameter values were invalid: ProjectionType is INCLUDE, but NonKeyAttributes is not specified for index ${IndexName}`,
      );
    }
  }
}
