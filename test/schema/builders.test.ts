/** What holds of every builder: the list is complete, expressions keep to the subset, each clause has its twin. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Write } from '../../schema/request.ts';
import { clausesOf } from '../support/without-clause.ts';
import { BUILDER_SAMPLES, builderNamesIn, exportedBuilders, type Request } from './builder-samples.ts';
import { conditionFaults, subsetFaults, updateFaults } from './expression-subset.ts';

const isWrite = (request: Request): request is Write =>
  request.kind === 'put' || request.kind === 'update' || request.kind === 'delete';

describe('the list of builders', () => {
  it('is complete', () => {
    expect(Object.keys(BUILDER_SAMPLES).sort()).toEqual(exportedBuilders());
  });

  it('is read from the sources whatever form the parameters take', () => {
    const source = [
      'export function getOne(key: Key): Get {\n  return get(key);\n}',
      'export function putTwo(\n  address: A,\n  { a, b }: { a: number; b: string },\n  op: string,\n): Write {\n}',
      'export function nameOf(key: Key): string {\n  return `${key}`;\n}',
      'function hidden(): Write {\n}',
      'export function queryThree({ scope }: A, { limit }: { limit: number }): Query {\n}',
    ].join('\n\n');
    expect(builderNamesIn(source)).toEqual(['getOne', 'putTwo', 'queryThree']);
  });
});

describe('expressions', () => {
  it.each(Object.keys(BUILDER_SAMPLES))('%s keeps to the subset on which all engines agree', (name) => {
    for (const request of BUILDER_SAMPLES[name] ?? []) {
      if (request.kind !== 'batchGet') expect(subsetFaults(request)).toEqual([]);
    }
  });

  it.each([
    'size(#list) < :most',
    'contains(#list, :one)',
    'attribute_type(#list, :type)',
    '#list[0] = :one',
    'state = :pending',
    '#a = :b AND contains(#list, :one)',
    '(#a = :b) OR (NOT size(#list) < :most)',
    '#a IN (:b, size(#c))',
  ])('a condition outside the subset is found: %s', (condition) => {
    expect(conditionFaults(condition)).not.toEqual([]);
  });

  it.each([
    'SET #a = list_append(#a, :one)',
    'SET #a = #a - :one',
    'SET #a[0] = :one',
    'SET a = :one',
    'DELETE #set :one',
    'SET #a = :b REMOVE #list[1]',
    'ADD #a :one, #b #c',
  ])('an update outside the subset is found: %s', (expression) => {
    expect(updateFaults(expression)).not.toEqual([]);
  });

  it.each(['NOT #a = :b', '#a BETWEEN :b AND :c AND #d <> :e', '((#a = :b) AND (#c < #d)) OR attribute_exists(#e.#f)'])(
    'a condition inside the subset is let through: %s',
    (condition) => {
      expect(conditionFaults(condition)).toEqual([]);
    },
  );
});

describe('every request', () => {
  const requests = Object.entries(BUILDER_SAMPLES).flatMap(([name, samples]) =>
    samples.map((request): readonly [string, Request] => [name, request]),
  );

  it('names exactly the attributes and values its expressions use', () => {
    for (const [name, { kind, ...request }] of requests) {
      if (!('input' in request)) continue;
      const { input } = request as { input: Record<string, unknown> };
      const text = Object.keys(input)
        .filter((key) => key.endsWith('Expression'))
        .map((key) => String(input[key]))
        .join(' ');
      const given = ['ExpressionAttributeNames', 'ExpressionAttributeValues'].flatMap((key) =>
        Object.keys((input[key] ?? {}) as object),
      );
      expect([kind, name, given.sort()]).toEqual([kind, name, [...new Set(text.match(/[#:]\w+/g))].sort()]);
    }
  });

  it('that is conditional asks for the item that refuses it, and carries its op', () => {
    for (const [name, request] of requests) {
      if (!isWrite(request) || request.kind === 'delete') continue;
      const { input } = request;
      if (input.ConditionExpression !== undefined) {
        expect([name, input.ReturnValuesOnConditionCheckFailure]).toEqual([name, 'ALL_OLD']);
      }
      const op = request.kind === 'put' ? request.input.Item?.['op'] : input.ExpressionAttributeValues?.[':set_op'];
      expect([name, op]).toEqual([name, expect.stringMatching(/^op-/)]);
    }
  });

  it('that reads is bounded, and consistent unless it reads an index', () => {
    for (const [name, request] of requests) {
      if (request.kind === 'query') expect([name, request.input.Limit]).toEqual([name, expect.any(Number)]);
      if (request.kind !== 'get' && request.kind !== 'query') continue;
      const isIndex = request.kind === 'query' && request.input.IndexName !== undefined;
      expect([name, request.input.ConsistentRead ?? false]).toEqual([name, !isIndex]);
    }
  });
});

describe('every clause of a condition', () => {
  const here = new URL('./', import.meta.url);
  const tests = readdirSync(here)
    .filter((name) => name.endsWith('.test.ts') && name !== 'builders.test.ts')
    .map((name) => readFileSync(new URL(name, here), 'utf8'));
  /** Clauses that no scene can show missing: another clause of the same condition refuses all that they refuse. */
  const IMPLIED = new Set(['addCitationPass: attribute_exists(#pk)', 'recaptureCitation: attribute_exists(#pk)']);

  const clauses = Object.entries(BUILDER_SAMPLES).flatMap(([name, samples]) => {
    const own = samples.filter(isWrite).flatMap(clausesOf);
    return [...new Set(own)].map((clause) => [name, clause] as const);
  });

  it.each(clauses)('%s has a twin without (%s)', (name, clause) => {
    if (IMPLIED.has(`${name}: ${clause}`)) return;
    const twinned = tests.some((text) => text.includes(`'${name}', `) && text.includes(`'${clause}'`));
    expect(twinned).toBe(true);
  });

  it('a clause that is called implied is one', () => {
    const known = clauses.map(([name, clause]) => `${name}: ${clause}`);
    expect([...IMPLIED].filter((clause) => !known.includes(clause))).toEqual([]);
  });
});
