/**
 * Goal: who sends something wrong is told which value and what is allowed, in words, on every route. Method: what no schema
 * takes, against each schema of the API.
 */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { reasonsOf } from '../../functions/core/reasons.ts';
import { wordIssue } from '../../functions/core/word-issue.ts';
import * as api from '../../schema/api.ts';
import * as erasureApi from '../../schema/erasure-api.ts';
import * as memoryApi from '../../schema/memory-api.ts';
import * as sourceApi from '../../schema/source-api.ts';

const messagesOf = (schema: z.ZodType, value: unknown): string[] => {
  const parsed = schema.safeParse(value, { error: wordIssue });
  return parsed.success ? [] : reasonsOf(parsed.error).reasons.map(({ message }) => message);
};

describe('what is wrong with a value', () => {
  it.each([
    [z.object({ a: z.string() }), {}, 'it is missing; give a string'],
    [z.object({ a: z.string() }), { a: 1 }, '1 is not a string'],
    [z.object({ a: z.boolean() }), { a: 'yes' }, '"yes" is not true or false'],
    [z.object({ a: z.int() }), { a: 1.5 }, '1.5 is not a whole number'],
    [z.object({ a: z.number() }), { a: Number.NaN }, 'it is not a number'],
    [z.object({ a: z.number().max(5) }), { a: 9 }, '9 is out of range; at most 5'],
    [z.object({ a: z.string().max(3) }), { a: 'long' }, 'it has 4 characters; at most 3'],
    [z.object({ a: z.array(z.string()).min(1) }), { a: [] }, 'it has 0 items; at least 1'],
    [z.object({ a: z.enum(['b', 'c']) }), { a: 'd' }, '"d" is not one of "b", "c"'],
    [z.object({ a: z.literal('1') }), { a: '2' }, '"2" is not "1"'],
    [z.object({ a: z.literal('1') }), {}, 'it is missing; give "1"'],
    [z.strictObject({ a: z.string().optional() }), { b: 1 }, 'there is no "b"; there are "a"'],
    [z.string(), ['a'], '["a"] is not a string'],
    [z.object({}), 'a'.repeat(99), `"${'a'.repeat(38)}… is not an object`],
    [
      z.discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })]),
      { type: 'c' },
      '"c" is not one of "a", "b"',
    ],
    [
      z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })]),
      { a: 1 },
      'it has none of the forms that are taken (a: 1 is not a string); it takes {a} or {b}',
    ],
    [z.object({ a: z.string('our own words') }), {}, 'our own words'],
  ])('%#: is told', (schema, value, message) => {
    expect(messagesOf(schema, value)).toEqual([message]);
  });
});

describe('the API', () => {
  const exported: Record<string, unknown> = { ...api, ...erasureApi, ...memoryApi, ...sourceApi };
  const schemas = Object.entries(exported).flatMap(([name, schema]) =>
    schema instanceof z.ZodType ? [{ name, schema }] : [],
  );
  const WRONG = [undefined, null, 7, -1, 'x', '', [], {}, Number.NaN, 'x'.repeat(20_000)];
  const RAW = /expected|received|Invalid|Too (big|small)|Unrecognized/;

  it.each(schemas)('tells nothing in the words of a parser: $name', ({ schema }) => {
    const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : ['source', 'claim', 'hash', 'citation'];
    const given = [...WRONG, ...fields.flatMap((field) => WRONG.map((value) => ({ [field]: value }))), { nothing: 1 }];
    const told = given.flatMap((value) => messagesOf(schema, value));
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter((message) => RAW.test(message))).toEqual([]);
  });
});
