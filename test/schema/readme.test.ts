/** Holds schema/README.md against the code: access patterns, states of a pass, queue tiers. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PASS_STATUSES, TERMINAL_STATUSES } from '../../schema/pass.ts';
import { continuationKey, freshKey, leasedKey, quarantinedKey, tierOf, waitingKey } from '../../schema/queue.ts';
import { REFUSALS } from '../../schema/refusal.ts';
import { BUILDER_SAMPLES, type Request } from './builder-samples.ts';
import { PASS_MOVES } from './pass-moves.ts';
import { ME, NOW_MS } from './samples.ts';

/** Without the spaces and dashes by which a formatter aligns the columns of a table. */
const README = readFileSync(new URL('../../schema/README.md', import.meta.url), 'utf8').replace(/^\|.*\|$/gm, (row) =>
  row.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---'),
);

/** Rows of the table under a heading, as cells by column name. */
function readTable(text: string, heading: string, nth = 0): Record<string, string>[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the page has no section "${heading}"`);
  const table = section.match(/^\|.*\n(?:\|.*\n?)+/gm)?.[nth];
  if (table === undefined) throw new Error(`the section "${heading}" has no table`);
  const [names = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
  return rows.map((cells) => Object.fromEntries(names.map((name, column) => [name, cells[column] ?? ''])));
}

const OPERATIONS: Readonly<Record<Request['kind'], string>> = {
  get: 'GetItem',
  query: 'Query',
  put: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
  batchGet: 'BatchGetItem',
};

/** What the page must say of a builder, from the requests it makes. */
function describeBuilder(samples: readonly Request[]): {
  operation: string;
  key: string;
  read: string;
  guarded: boolean;
} {
  const describeOne = (request: Request) => {
    const index = request.kind === 'query' ? request.input.IndexName : undefined;
    const isRead = request.kind === 'get' || request.kind === 'query' || request.kind === 'batchGet';
    return {
      operation: OPERATIONS[request.kind],
      key: index ?? (request.table === 'text' ? 'pk + sk of text' : 'pk + sk'),
      read: isRead ? (index ? 'eventual' : 'consistent') : '–',
      guarded: 'input' in request && 'ConditionExpression' in request.input,
    };
  };
  const [first, ...others] = samples.map(describeOne);
  if (!first) throw new Error('a builder needs a sample');
  for (const other of others) expect(other).toEqual(first);
  return first;
}

/** What is wrong with a page's access patterns: missing and extra builders, wrong operations, keys, reads and guards. */
function accessPatternFaults(page: string): string[] {
  const rows = readTable(page, 'Access patterns');
  const listed = rows.map((row) => row['Builder'] ?? '');
  const missing = Object.keys(BUILDER_SAMPLES).filter((name) => !listed.includes(name));
  const doubled = listed.filter((name, position) => listed.indexOf(name) !== position);
  const faults = [...missing.map((name) => `${name} has no row`), ...doubled.map((name) => `${name} has two rows`)];
  for (const row of rows) {
    const name = row['Builder'] ?? '';
    const samples = BUILDER_SAMPLES[name];
    if (!samples) {
      faults.push(`${name} is no builder`);
      continue;
    }
    const { operation, key, read, guarded } = describeBuilder(samples);
    if (row['Operation'] !== operation) faults.push(`${name} is a ${operation}`);
    if (row['Key / index'] !== key) faults.push(`${name} goes by ${key}`);
    if (row['Read'] !== read) faults.push(`${name} reads ${read}`);
    if ((row['Guard'] !== '–') !== guarded) faults.push(`${name} is ${guarded ? 'conditional' : 'unconditional'}`);
    if (!row['Pattern'] || !row['Caller'] || !/[0-9]/.test(row['At most'] ?? '')) faults.push(`${name} lacks a cell`);
  }
  return faults;
}

describe('access patterns', () => {
  it('have one row a builder, with its operation, key or index, guard and read', () => {
    expect(accessPatternFaults(README)).toEqual([]);
  });

  const row = /^\| the ledger \|.*\n/m;
  it.each([
    ['a missing row', (page: string) => page.replace(row, ''), 'getLedger has no row'],
    ['a doubled row', (page: string) => page.replace(row, '$&$&'), 'getLedger has two rows'],
    ['an unknown builder', (page: string) => page.replaceAll('`getLedger`', '`getLegder`'), 'getLegder is no builder'],
    [
      'a wrong operation',
      (page: string) => page.replace('`kickPass` | UpdateItem', '`kickPass` | PutItem'),
      'kickPass is a UpdateItem',
    ],
    [
      'a wrong index',
      (page: string) => page.replace('Query | `work`', 'Query | `queue`'),
      'queryDueScopes goes by work',
    ],
    [
      'a wrong kind of read',
      (page: string) => page.replace('– | eventual', '– | consistent'),
      'queryDueScopes reads eventual',
    ],
    [
      'a guard left out',
      (page: string) => page.replace(/\| unset or lower;[^|]*\|/, '| – |'),
      'raiseRegister is conditional',
    ],
    ['no bound', (page: string) => page.replace('25 a tick', 'some'), 'queryDueScopes lacks a cell'],
  ])('%s is found', (_, spoil, fault) => {
    expect(accessPatternFaults(spoil(README))).toContain(fault);
  });
});

describe('callers', () => {
  const FUNCTIONS = new URL('../../functions/', import.meta.url);
  const files = readdirSync(FUNCTIONS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ folder: name.split('/')[0] ?? '', text: readFileSync(new URL(name, FUNCTIONS), 'utf8') }));
  const namesImported = (text: string): string[] =>
    [...text.matchAll(/^import \{([^}]*)\} from/gm)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim()),
    );
  /** Builders that a function of `io` sends, by its name: whoever imports it is their caller. */
  const sentByIo = new Map(
    files
      .filter(({ folder }) => folder === 'io')
      .flatMap(({ text }) => text.split(/^export (?:async )?function /m).slice(1))
      .map((text) => [/^\w+/.exec(text)?.[0] ?? '', [...text.matchAll(/\b(\w+)\(/g)].map(([, name = '']) => name)]),
  );
  /** What an `io` function sends itself, and through others of `io`. */
  const sentBy = (name: string, seen: ReadonlySet<string> = new Set()): string[] =>
    seen.has(name)
      ? []
      : (sentByIo.get(name) ?? []).flatMap((called) => [called, ...sentBy(called, new Set([...seen, name]))]);
  const callersOf = (builder: string): string[] => {
    const calling = files.filter(
      ({ folder, text }) =>
        !['io', 'core'].includes(folder) &&
        namesImported(text).some((name) => name === builder || sentBy(name).includes(builder)),
    );
    return [...new Set(calling.map(({ folder }) => folder))].sort();
  };

  it.each(readTable(README, 'Access patterns').map((row) => [row['Builder'] ?? '', row['Caller'] ?? '']))(
    '%s is called by %s',
    (builder, callers) => {
      expect(callers === 'nobody yet' ? [] : callers.split(', ').sort()).toEqual(callersOf(builder));
    },
  );
});

/** What differs between the page's moves of a pass and the code's. */
function passFaults(page: string): string[] {
  const rows = readTable(page, 'The life of a pass');
  const states = new Set(rows.flatMap((row) => `${row['From']}, ${row['To']}`.split(', ')));
  const unknown = [...states].filter((state) => !['–', 'the same', ...PASS_STATUSES].includes(state as 'admitted'));
  const unnamed = PASS_STATUSES.filter((state) => !states.has(state));
  const moves = rows.map((row) => row['Builder'] ?? '');
  const terminal = /^Terminal: ([^.]*)\./m.exec(page)?.[1]?.split(', ') ?? [];
  return [
    ...unknown.map((state) => `there is no status ${state}`),
    ...unnamed.map((state) => `the status ${state} is not named`),
    ...Object.keys(PASS_MOVES)
      .filter((move) => !moves.includes(move))
      .map((move) => `the move ${move} is not named`),
    ...moves.filter((move) => !Object.hasOwn(PASS_MOVES, move)).map((move) => `there is no move ${move}`),
    ...TERMINAL_STATUSES.filter((state) => !terminal.includes(state)).map((state) => `${state} is terminal`),
    ...terminal
      .filter((state) => !(TERMINAL_STATUSES as readonly string[]).includes(state))
      .map((state) => `${state} is not terminal`),
    ...rows.flatMap((row) => {
      const from = (row['From'] ?? '').split(', ').filter((state) => state !== '–');
      const allowed = conditionStates(row['Builder'] ?? '');
      return allowed.sort().join() === from.sort().join() ? [] : [`${row['Builder']} leaves ${allowed.join(', ')}`];
    }),
  ];
}

/** The statuses a move's condition asks for. */
function conditionStates(move: string): string[] {
  const [sample] = BUILDER_SAMPLES[move] ?? [];
  if (!sample || !('input' in sample) || !('ConditionExpression' in sample.input)) return [];
  const values = sample.kind === 'update' ? sample.input.ExpressionAttributeValues : undefined;
  const clause = /#status (?:= (:\w+)|IN \(([^)]*)\))/.exec(sample.input.ConditionExpression ?? '');
  const tokens = (clause?.[1] ?? clause?.[2] ?? '').split(', ').filter((token) => token !== '');
  return tokens.map((token) => String(values?.[token]));
}

describe('the life of a pass', () => {
  it('names every status and every move, each from where its condition lets it', () => {
    expect(passFaults(README)).toEqual([]);
  });

  it.each([
    ['| `startPass` | admitted | running |', '| `startPass` | admitted | started |', 'there is no status started'],
    ['| `startPass` | admitted |', '| `startPass` | running |', 'startPass leaves admitted'],
    ['| `expireAttempt` | running | expired |\n', '', 'the move expireAttempt is not named'],
    ['Terminal: completed, failed, cancelled', 'Terminal: completed, failed', 'cancelled is terminal'],
  ])('a page that says otherwise is found: %s', (before, after, fault) => {
    expect(passFaults(README.replace(before, after))).toContain(fault);
  });

  it('is drawn with every status and every move that changes one', () => {
    const [, picture = ''] = /## The life of a pass\n\n```\n([\s\S]*?)```/.exec(README) ?? [];
    const drawn = [...PASS_STATUSES, 'startPass', 'cancelPass', 'endPass', 'finalizePass'];
    const expiries = ['expireRunningPass', 'expireAttempt', 'expireUnstartedPass'];
    expect([...drawn, ...expiries].filter((word) => !picture.includes(word))).toEqual([]);
  });
});

describe('other tables', () => {
  it('refusals are those of the code, in its order', () => {
    const rows = readTable(README, 'Why a pass is refused').map((row) => [row['Reason'], row['HTTP'], row['Says']]);
    expect(rows).toEqual(REFUSALS.map(({ reason, http, says }) => [reason, String(http), says]));
  });

  it('tiers are those of the queue’s keys', () => {
    const tiers = readTable(README, 'The evidence queue').map((row) => [Number(row['Tier']), row['Who']]);
    expect(tiers.map(([tier]) => tier)).toEqual([0, 1, 2, 3, 4, 5]);
    const keys = [
      continuationKey(NOW_MS, 'a'),
      freshKey(NOW_MS, 'a'),
      waitingKey(NOW_MS, 'a'),
      leasedKey(NOW_MS, ME, 'a'),
      quarantinedKey(NOW_MS, 'a'),
    ];
    const words = ['continuations', 'fresh', 'waiting', 'leased', 'quarantined'];
    expect(keys.map((key, k) => String(tiers[tierOf(key)]?.[1]).startsWith(words[k] as string))).toEqual(
      keys.map(() => true),
    );
  });

  it('every file an item or a number is said to stand in is there', () => {
    const present = readdirSync(new URL('../../schema/', import.meta.url));
    const named = [...README.matchAll(/`([a-z-]+\.ts)`/g)].map(([, name]) => name as string);
    expect(named.filter((name) => !present.includes(name))).toEqual([]);
    const items = readTable(README, 'Items').map((row) => /\(([a-z-]+\.ts)/.exec(row['Entity'] ?? '')?.[1]);
    const withKeys = present.filter((name) =>
      /^export const \w+(?:Item|Page|Binding)Schema\b/m.test(
        readFileSync(new URL(`../../schema/${name}`, import.meta.url), 'utf8'),
      ),
    );
    expect(new Set(items)).toEqual(new Set(withKeys));
  });
});
