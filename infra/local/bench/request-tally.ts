/**
 * Counts the requests of a drain at the edge between client and database, by what they are for. Claims are counted
 * apart: how many there are is the text's doing.
 */
import type { Item } from '../dynamodb/attribute-value.ts';
import { readText } from '../row-text.ts';
import type { Observation } from '../runtime/request-counts.ts';

export interface Tally {
  /** Writes besides those of claims, refused ones included. */
  readonly writes: number;
  /** Their capacity units, indexes included; a refused one counts 1, as it answers none. */
  readonly writeUnits: number;
  /** Reads of the workers. */
  readonly workerReads: number;
  /** Pages that passes acknowledged: REVIEW rows. */
  readonly pages: number;
}

const WRITES: ReadonlySet<string> = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);
const CLAIM_ROWS = /^(?:CLAIM|HEAD|ENTITY)#/;
const REVIEW_ROW = /^PASS#[^#]+#REVIEW#/;

export class RequestTally {
  #isCounting = false;
  #writes = 0;
  #writeUnits = 0;
  #workerReads = 0;
  #pages = 0;

  /** Counts from now on. */
  begin(): void {
    this.#isCounting = true;
  }

  get tally(): Tally {
    return {
      writes: this.#writes,
      writeUnits: this.#writeUnits,
      workerReads: this.#workerReads,
      pages: this.#pages,
    };
  }

  /** Sees one request with its answer. */
  see({ service, operation, status, input, consumed, functionName }: Observation): void {
    if (!this.#isCounting || service !== 'dynamodb') return;
    if (!WRITES.has(operation)) {
      if (functionName === 'worker') this.#workerReads += 1;
      return;
    }
    const { Item: item, Key: key } = input as { Item?: Item; Key?: Item };
    const row = readText((item ?? key)?.sk) ?? '';
    if (CLAIM_ROWS.test(row)) return;
    if (REVIEW_ROW.test(row)) this.#pages += 1;
    this.#writes += 1;
    this.#writeUnits += status === 200 ? consumed.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0) : 1;
  }
}
