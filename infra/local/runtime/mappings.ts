/** The template's event source mappings, each wired to its queue or stream and its function. */
import type { DynamoDb } from '../dynamodb/engine.ts';
import type { SqsEngine } from '../sqs/engine.ts';
import type { SendToDestination } from './destination.ts';
import type { Faults } from './faults.ts';
import type { Invoker } from './function-pool.ts';
import { readText } from './properties.ts';
import type { TableInfo } from './resources.ts';
import { SqsMapping } from './sqs-mapping.ts';
import { StreamMapping } from './stream-mapping.ts';
import { parseFunctionReference, type Resource } from './template.ts';

export interface MappingsOptions {
  readonly resources: readonly Resource[];
  readonly tables: readonly TableInfo[];
  readonly pools: ReadonlyMap<string, Invoker>;
  readonly dynamodb: DynamoDb;
  readonly sqs: SqsEngine;
  readonly deliveries: Faults['deliveries'];
  readonly now: () => number;
  readonly sendToDestination: SendToDestination;
  readonly retryDelayMs: (attempt: number) => number;
  readonly onSettled: () => void;
}

export interface Mapping {
  readonly isBusy: boolean;
  readonly stop: () => void;
}

/** Opens every enabled mapping. Throws for a source or function the template does not have. */
export function openMappings(options: MappingsOptions): Mapping[] {
  const acknowledgers = new Map<string, SharedStream>();
  const enabled = options.resources.filter(({ properties }) => properties.Enabled !== false);
  return enabled.map((mapping) => {
    const { logicalId } = mapping;
    const pool = options.pools.get(parseFunctionReference(readText(mapping, 'FunctionName')).name);
    if (pool === undefined)
      throw new Error(`${logicalId} maps to ${readText(mapping, 'FunctionName')}, which has no local:entry.`);
    const arn = readText(mapping, 'EventSourceArn');
    const queue = options.sqs.queueByArn(arn);
    if (queue !== undefined)
      return new SqsMapping({ ...options, delivery: options.deliveries.queue, mapping, queue, pool });
    const table = options.tables.find(({ name }) => arn.includes(`:table/${name}/stream/`));
    if (table === undefined) throw new Error(`${logicalId} reads ${arn}, which is no queue or table of the template.`);
    const shared = acknowledgers.get(table.name) ?? new SharedStream(options.dynamodb, table.name);
    acknowledgers.set(table.name, shared);
    return new StreamMapping({
      ...options,
      delivery: options.deliveries.stream,
      mapping,
      pool,
      table: table.name,
      partitionKey: table.partitionKey,
      streamArn: arn,
      source: options.dynamodb,
      acknowledge: shared.join(),
    });
  });
}

/** Several mappings may read one stream: what the slowest has acknowledged is done with for all. */
class SharedStream {
  readonly #dynamodb: DynamoDb;
  readonly #table: string;
  /** The last sequence number each reader acknowledged; they are of one length and compare as text. */
  readonly #positions: string[] = [];

  constructor(dynamodb: DynamoDb, table: string) {
    this.#dynamodb = dynamodb;
    this.#table = table;
  }

  join(): (sequenceNumber: string) => void {
    const reader = this.#positions.push('') - 1;
    return (sequenceNumber) => {
      this.#positions[reader] = sequenceNumber;
      const [slowest = ''] = this.#positions.toSorted();
      if (slowest !== '') this.#dynamodb.ackStream(this.#table, slowest);
    };
  }
}
