/**
 * What each function may do with the tables, action by action. Rights on queues, streams and other functions stand with
 * the edge that needs them, in `edges.ts`. Nobody may scan; only ingest, the worker and
 * the eraser know text, and the eraser alone deletes it.
 */
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from '../schema/environment.ts';
import type { IndexName } from '../schema/table.ts';
import type { Storage } from './storage.ts';

type TableAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

interface TableGrants {
  readonly control: readonly TableAction[];
  /** Indexes of `control` that may be queried, one ARN each. */
  readonly indexes: readonly IndexName[];
  readonly text: readonly TableAction[];
}

const GRANTS: Record<FunctionName, TableGrants> = {
  ingest: {
    control: ['GetItem', 'PutItem', 'UpdateItem'],
    indexes: [],
    // What it stored it reads again: parts of uploads, and sessions that turns are appended to.
    text: ['GetItem', 'BatchGetItem', 'PutItem'],
  },
  trigger: { control: ['GetItem', 'PutItem', 'UpdateItem'], indexes: ['queue'], text: [] },
  reader: { control: ['GetItem', 'Query'], indexes: ['queue', 'work'], text: [] },
  curator: { control: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], indexes: [], text: [] },
  eraser: {
    control: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    indexes: ['work'],
    text: ['Query', 'DeleteItem'],
  },
  scheduler: {
    control: ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
    indexes: ['queue', 'work', 'due'],
    text: [],
  },
  worker: {
    control: ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
    indexes: ['queue'],
    text: ['BatchGetItem'],
  },
  finalizer: {
    control: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    indexes: ['queue'],
    text: [],
  },
};

/** Adds one statement of exact actions on exact resources to the function's role. */
export function allow(target: LambdaFunction, actions: readonly string[], resources: readonly string[]): void {
  target.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
}

function allowTable(target: LambdaFunction, actions: readonly TableAction[], table: TableV2): void {
  if (actions.length === 0) return;
  allow(
    target,
    actions.map((action) => `dynamodb:${action}`),
    [table.tableArn],
  );
}

/** Gives every function its rights on the tables. */
export function grantTables(functions: Readonly<Record<FunctionName, LambdaFunction>>, storage: Storage): void {
  for (const [name, grants] of Object.entries(GRANTS) as [FunctionName, TableGrants][]) {
    const target = functions[name];
    allowTable(target, grants.control, storage.control);
    allowTable(target, grants.text, storage.text);
    if (grants.indexes.length > 0) {
      const indexes = grants.indexes.map((index) => `${storage.control.tableArn}/index/${index}`);
      allow(target, ['dynamodb:Query'], indexes);
    }
  }
}
