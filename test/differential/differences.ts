/**
 * Where the two engines are known to differ within the subset: what AWS does, how that is known, and which engine is
 * right. Anything else that differs is a finding. `functions/` and `schema/` use none of these.
 */
import type { Command } from './commands.ts';
import type { Answer } from './engines.ts';

export interface Difference {
  readonly name: string;
  /** What AWS does. */
  readonly aws: string;
  /**
   * `documented`: in AWS's developer guide or API reference. `recorded`: in test suites that were run against AWS
   * (dynalite's, ScyllaDB Alternator's), not in the documentation.
   */
  readonly source: 'documented' | 'recorded';
  readonly right: 'ours' | 'the other';
  readonly applies: (command: Command, ours: Answer, other: Answer) => boolean;
}

const says =
  (pattern: RegExp): Difference['applies'] =>
  (_command, { exception, message = '' }) =>
    exception === 'ValidationException' && pattern.test(message);

export const DIFFERENCES: readonly Difference[] = [
  {
    name: 'SET, ADD or REMOVE of a path whose parent is missing or no map',
    aws: 'refuses it as an invalid document path',
    source: 'recorded',
    right: 'ours',
    applies: says(/^The document path provided in the update expression is invalid for update/),
  },
  {
    name: 'projection or filter on an attribute that the index does not project',
    aws: 'refuses it: a query of a global secondary index cannot fetch attributes from the table',
    source: 'documented',
    right: 'ours',
    applies: says(/^One or more parameter values were invalid: Global secondary index \w+ does not project/),
  },
  {
    name: 'a start key of another partition',
    aws: 'refuses it: outside query boundaries',
    source: 'recorded',
    right: 'ours',
    applies: says(/^The provided starting key is outside query boundaries/),
  },
  {
    name: 'a start key that the sort key condition excludes',
    aws: 'refuses it: does not match the range key predicate',
    source: 'recorded',
    right: 'ours',
    applies: says(/^The provided starting key does not match the range key predicate/),
  },
  {
    name: 'begins_with on a numeric sort key',
    aws: 'refuses it: the operand must be a string or binary',
    source: 'documented',
    right: 'ours',
    applies: says(/operator or function: begins_with, operand type: N$/),
  },
  {
    name: 'begins_with of a sort key, in letters of another case',
    aws: 'compares exactly',
    source: 'documented',
    right: 'ours',
    applies: ({ operation, input }, ours, other) =>
      operation === 'Query' &&
      / begins_with\(/.test(String(input.KeyConditionExpression)) &&
      ours.status === 200 &&
      other.status === 200 &&
      Number(ours.output.ScannedCount) <= Number(other.output.ScannedCount),
  },
  {
    name: 'ALL_OLD of an update that creates the item',
    aws: 'returns no attributes: there was no item before',
    source: 'documented',
    right: 'ours',
    applies: ({ operation, input }, ours, other) =>
      operation === 'UpdateItem' &&
      input.ReturnValues === 'ALL_OLD' &&
      ours.output.Attributes === undefined &&
      JSON.stringify(other.output.Attributes) === JSON.stringify(input.Key),
  },
  {
    name: 'one operand on both sides',
    aws: 'refuses it: the first operand must be distinct from the others',
    source: 'recorded',
    right: 'ours',
    applies: says(/The first operand must be distinct from the remaining operands/),
  },
  {
    name: 'BETWEEN with bounds of two types, in a filter',
    aws: 'refuses it: both bounds must be of one type',
    source: 'recorded',
    right: 'ours',
    applies: says(/^Invalid FilterExpression: The BETWEEN operator requires same data type/),
  },
  {
    name: 'BETWEEN with bounds in the wrong order, in a filter',
    aws: 'refuses it: the upper bound must not be below the lower',
    source: 'recorded',
    right: 'ours',
    applies: says(/^Invalid FilterExpression: The BETWEEN operator requires upper bound to be greater/),
  },
  {
    name: 'BETWEEN with bounds of a type that has no order',
    aws: 'refuses it: bounds are strings, numbers or binaries',
    source: 'documented',
    right: 'ours',
    applies: says(/The BETWEEN operator requires upper bound.* \{(?:[SNB]S|L|M|BOOL|NULL):/),
  },
  {
    name: 'NOT NOT',
    aws: 'its grammar allows NOT before any condition; the parser of ours refuses a second one',
    source: 'documented',
    right: 'the other',
    applies: (command, ours, other) =>
      says(/Syntax error/)(command, ours, other) &&
      /\bNOT NOT\b/.test(`${String(command.input.ConditionExpression)} ${String(command.input.FilterExpression)}`),
  },
];
