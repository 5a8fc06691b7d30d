/**
 * Both tables. `control` has the stream, native TTL and every index. `text` has neither stream nor index, so that what a
 * person wrote can reach no stream record, dead letter or log; it has TTL for the parts of uploads that nobody completed:
 * no other row of it bears the attribute, and what removed them otherwise would need a list of them or a scan.
 */
import {
  type Attribute,
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  StreamViewType,
  TableV2,
  type TablePropsV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { INDEXES, type IndexShape, PARTITION_KEY, SORT_KEY, TTL_ATTRIBUTE } from '../schema/table.ts';
import type { Deployment } from './deployment.ts';

const ATTRIBUTE_TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

function describeAttribute({ name, type }: IndexShape['partition'] | IndexShape['sort']): Attribute {
  return { name, type: ATTRIBUTE_TYPES[type] };
}

function describeIndex([indexName, shape]: [string, IndexShape]): GlobalSecondaryIndexPropsV2 {
  return {
    indexName,
    partitionKey: describeAttribute(shape.partition),
    sortKey: describeAttribute(shape.sort),
    ...(shape.include.length > 0
      ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...shape.include] }
      : { projectionType: ProjectionType.KEYS_ONLY }),
  };
}

export class Storage extends Construct {
  readonly control: TableV2;
  readonly text: TableV2;

  constructor(scope: Construct, id: string, deployment: Deployment) {
    super(scope, id);
    const shared: TablePropsV2 = {
      partitionKey: { name: PARTITION_KEY, type: AttributeType.STRING },
      sortKey: { name: SORT_KEY, type: AttributeType.STRING },
      billing: Billing.onDemand(deployment.ceilings),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: deployment.protected },
      deletionProtection: deployment.protected,
      removalPolicy: deployment.removalPolicy,
    };
    this.control = new TableV2(this, 'Control', {
      ...shared,
      timeToLiveAttribute: TTL_ATTRIBUTE,
      dynamoStream: StreamViewType.NEW_IMAGE,
      globalSecondaryIndexes: Object.entries(INDEXES).map(describeIndex),
    });
    this.text = new TableV2(this, 'Text', { ...shared, timeToLiveAttribute: TTL_ATTRIBUTE });
  }
}
