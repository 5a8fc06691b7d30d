/** What `infra/local/README.md` says of the engines, the faults and the scores, held against the code and the record. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDynamoDb } from '../../../infra/local/dynamodb/engine.ts';
import { faultOptionsSchema } from '../../../infra/local/runtime/fault-options.ts';
import { OPERATIONS } from '../../../infra/local/sqs/operations.ts';
import { DIFFERENCES } from '../../differential/differences.ts';
import { KILLS } from '../../endurance/kills.ts';
import { QUERIES } from '../../endurance/queries.ts';
import { ROUNDS, WRITERS } from '../../endurance/races.ts';
import { UNREACHED_MAX } from '../../cover/cover.ts';
import { PROBES as DYNAMODB_PROBES } from './dynamodb/probes.ts';
import { countHeld } from './held-against.ts';
import { SEEN_FAULTS } from './seen-faults.ts';
import { PROBES as SQS_PROBES } from './sqs/probes.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const text = read('infra/local/README.md');
const count = (value: number) => value.toLocaleString('en-US');

interface Result {
  readonly witness: string;
  readonly seed: number;
  readonly commands: number;
  readonly agreed: number;
  readonly known: Readonly<Record<string, number>>;
  readonly findings: number;
}
const result = JSON.parse(read('test/differential/result.json')) as Result;
const flowing = text.replaceAll(/\s+/g, ' ');

/** The names a bullet lists behind its title, up to the first full stop. */
const listed = (title: string): string[] =>
  (new RegExp(`- \\*\\*${title}\\*\\*: ([^.]*)\\.`).exec(flowing)?.[1] ?? '').split(', ').toSorted();

describe('the engines', () => {
  it('emulate the operations the page lists', () => {
    const { body } = createDynamoDb().respond('DynamoDB_20120810.Scan', '{}');
    const known = /Emulated operations: (.*)\./.exec((JSON.parse(body) as { message: string }).message)?.[1] ?? '';
    expect(listed('DynamoDB')).toEqual(known.split(', ').toSorted());
    expect(listed('SQS')).toEqual(Object.keys(OPERATIONS).toSorted());
  });
});

describe('the faults', () => {
  it('are all there, and the example is one', () => {
    const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '') as object;
    expect(faultOptionsSchema.parse(example)).toEqual(example);
    const { shape } = faultOptionsSchema;
    const { queue } = shape.messages.unwrap().shape;
    const request = shape.requests.unwrap().element.shape;
    const names = [
      ...Object.keys(shape),
      ...Object.keys(queue.unwrap().shape),
      ...Object.keys(request),
      ...request.kind.options,
      ...Object.keys(shape.kills.unwrap().element.shape),
    ];
    for (const name of names) expect(text, name).toMatch(new RegExp(`\`${name}[\`.[]`));
  });
});

describe('the scores', () => {
  it('are those of the last recorded run, in full length', () => {
    const { witness, seed, commands, agreed, findings } = result;
    expect(flowing).toContain(
      `Seed ${seed}, ${witness}: of ${count(commands)} commands ${count(agreed)} were answered alike, ${count(commands - agreed)} differed in a way named below, ${findings} in another.`,
    );
    expect(commands).toBeGreaterThanOrEqual(100_000);
    expect(findings).toBe(0);
    const known = Object.values(result.known).reduce((sum, seen) => sum + seen, 0);
    expect(agreed + known).toBe(commands);
  });

  it('are of the engine that is installed', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    const installed = Object.entries(optionalDependencies).map(([name, version]) => `${name} ${version}`);
    expect(installed).toContain(result.witness);
  });

  it('name every known difference, with what AWS does', () => {
    const cells = text.split('\n').map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const rows = cells.filter((row) => row.length === 5 && /^[\d,]+$/.test(row[1] ?? ''));
    expect(rows.map(([name, seen, aws, source, right]) => ({ name, seen, aws, source, right }))).toEqual(
      DIFFERENCES.map(({ name, aws, source, right }) => ({
        name,
        seen: count(result.known[name] ?? 0),
        aws,
        source,
        right,
      })),
    );
    expect(Object.keys(result.known).filter((name) => !DIFFERENCES.some((known) => known.name === name))).toEqual([]);
  });

  it('of endurance are what the script does', () => {
    expect(flowing).toContain(`${count(ROUNDS)} rounds of ${WRITERS} writers`);
    expect(flowing).toContain(`${KILLS} killed processes`);
    expect(flowing).toContain(`${count(QUERIES)} queries`);
  });
});

describe('what the engines are held against', () => {
  it('is counted', () => {
    const rowOf = (beginning: string): number[] => {
      const row = text.split('\n').find((line) => line.startsWith(`| ${beginning}`)) ?? '';
      return row.split('|').slice(2, -1).map(Number);
    };
    expect(rowOf('probes of DynamoDB')).toEqual(Object.values(countHeld(DYNAMODB_PROBES)));
    expect(rowOf('probes of SQS')).toEqual(Object.values(countHeld(SQS_PROBES)));
    expect(rowOf('faults seen')).toEqual(Object.values(countHeld(SEEN_FAULTS)));
  });

  it('is what the coverage allows', () => {
    const { dynamodb, sqs } = UNREACHED_MAX;
    expect(flowing).toContain(`more than ${dynamodb} stretches of the DynamoDB engine or ${sqs} of the SQS engine`);
  });
});

describe('the files the page names', () => {
  it('are there', () => {
    const files = [...text.matchAll(/`([\w-]+(?:\.(?:ts|mjs)|\/))`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(8);
    const isThere = (file: string) =>
      existsSync(path.join(ROOT, 'infra/local', file)) || existsSync(path.join(ROOT, file));
    expect(files.filter((file) => !isThere(file))).toEqual([]);
  });
});
