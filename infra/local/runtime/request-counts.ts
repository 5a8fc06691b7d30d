/**
 * What was asked of the services: requests by service and operation, capacity units by table. Counted from the answers,
 * never measured on AWS. A write whose condition failed costs units too but answers none: such writes are counted apart.
 */
import type { ConsumedCapacity } from '../dynamodb/capacity.ts';

export type Service = 'dynamodb' | 'sqs' | 'lambda';

export interface TableUnits {
  readonly read: number;
  readonly write: number;
}

export interface RequestCounts {
  readonly operations: Readonly<Record<Service, Readonly<Record<string, number>>>>;
  /** Capacity units by table name, indexes included. */
  readonly units: Readonly<Record<string, TableUnits>>;
  /** Conditional writes that were refused, by operation; their units (at least 1 each) are not in `units`. */
  readonly conditionFailures: Readonly<Record<string, number>>;
}

/** One request as a harness sees it. The objects must not be changed. */
export interface Observation {
  readonly service: Service;
  readonly operation: string;
  readonly input: unknown;
  readonly status: number;
  readonly output: unknown;
  /** Capacity units of a DynamoDB request, one entry a table. */
  readonly consumed: readonly ConsumedCapacity[];
  /** Who asked; undefined for a client outside the functions. */
  readonly functionName: string | undefined;
  readonly environment: number | undefined;
}

const READ_OPERATIONS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);
const CONDITION_FAILURE = 'ConditionalCheckFailedException';

export class RequestCounter {
  #operations: Record<Service, Record<string, number>> = { dynamodb: {}, sqs: {}, lambda: {} };
  #units: Record<string, { read: number; write: number }> = {};
  #conditionFailures: Record<string, number> = {};

  count(service: Service, operation: string): void {
    const counts = this.#operations[service];
    counts[operation] = (counts[operation] ?? 0) + 1;
  }

  countUnits(operation: string, consumed: readonly ConsumedCapacity[]): void {
    const side = READ_OPERATIONS.has(operation) ? 'read' : 'write';
    for (const { TableName, CapacityUnits } of consumed) {
      const units = (this.#units[TableName] ??= { read: 0, write: 0 });
      units[side] += CapacityUnits;
    }
  }

  countFault(operation: string, errorType: unknown): void {
    if (typeof errorType !== 'string' || !errorType.endsWith(CONDITION_FAILURE)) return;
    this.#conditionFailures[operation] = (this.#conditionFailures[operation] ?? 0) + 1;
  }

  /** A copy of the counts so far. */
  snapshot(): RequestCounts {
    return structuredClone({
      operations: this.#operations,
      units: this.#units,
      conditionFailures: this.#conditionFailures,
    });
  }

  reset(): void {
    this.#operations = { dynamodb: {}, sqs: {}, lambda: {} };
    this.#units = {};
    this.#conditionFailures = {};
  }
}
