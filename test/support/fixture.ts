/** Tables as an earlier release left them, in the middle of a drain: one line an item, in DynamoDB's own JSON. */
import { readFileSync } from 'node:fs';
import type { Deployment } from './deployment.ts';

/** Puts the fixture's items into the deployment's empty tables and sets its clock to the moment they were taken. */
export function loadHalfDrained(deployment: Deployment, version: number): void {
  const file = new URL(`../fixtures/half-drained.v${version}.jsonl`, import.meta.url);
  const [first = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  deployment.clock.advanceTo((JSON.parse(first) as { nowMs: number }).nowMs);
  for (const line of lines) {
    const { table, item } = JSON.parse(line) as { table: string; item: object };
    deployment.tables.engine.dispatch('PutItem', { TableName: table, Item: item });
  }
  // What put them is long gone, and so are its stream records.
  deployment.streamBacklog();
}
