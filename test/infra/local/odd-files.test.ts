/** A stranger's folder, as it lies on disk: what `npm start` says of each file, and that none costs another anything. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunFigures } from '../../../infra/local/figures.ts';
import { makeFolder, runCommand } from './command-run.ts';

/** A run takes seconds, and many times that on a machine whose cores are shared. */
const TIMEOUT_MS = 240_000;
/** A file without rights is no obstacle to root, and Windows has no such rights. */
const canBeUnreadable = process.platform !== 'win32' && process.getuid?.() !== 0;

let made: ReturnType<typeof makeFolder>;
let folder: string;
const put = (name: string, bytes: string | Buffer): void => {
  const place = path.join(folder, name);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, bytes);
};

beforeEach(() => {
  made = makeFolder();
  folder = path.join(made.folder, 'files');
  mkdirSync(folder);
});
afterEach(() => made.remove());

const claim = (name: string): string => `@claim Maya | ${name} | yes`;
const turn = (text: string): string => JSON.stringify({ speaker: 'Maya', text, at: '2024-05-03T10:00:00Z' });
const session = (...texts: string[]): string[] => texts.map(turn);

function putStrangersFolder(): void {
  put('empty.txt', '');
  put('.DS_Store', 'hidden');
  put('picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]));
  put('latin.txt', Buffer.from('d\u00e9j\u00e0 vu '.repeat(30), 'latin1'));
  const lines = session(claim('bad_line'), 'two', 'three', 'four', 'five', 'six', 'seven', claim('after_bad_line'));
  lines[6] = '{"speaker": "Maya", "text": "sev';
  put('bad-line.jsonl', lines.join('\n'));
  put('large.txt', `${'Words on a line that is like the others.\n'.repeat(220_000)}${claim('large')}\n`);
  put('long-line.txt', `${'word '.repeat(82_000)}\n${claim('long_line')}\n`);
  put('sub folder/with spaces.md', `${claim('spaces')}\n`);
  put('cafe\u0301.txt', `${claim('nfd')}\n`);
  put('\u65e5\u8a18.txt', `${claim('diary')}\n`);
  put('wide.txt', Buffer.from(`\ufeff${claim('wide')}\r\n`, 'utf16le'));
  put('damaged.txt', Buffer.concat([Buffer.from(`${claim('damaged')}\n${'words '.repeat(40)}`), Buffer.from([0xff])]));
}

const run = (...args: string[]) =>
  runCommand(['start', '--from', folder, '--executor', 'stub', '--delay-ms', '0', '--json', ...args]);
const figuresOf = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as RunFigures;

describe('a stranger’s folder', () => {
  it('is taken in as far as it can be, and each file’s outcome is said', { timeout: TIMEOUT_MS }, async () => {
    putStrangersFolder();
    if (canBeUnreadable) {
      put('secret.txt', 'secret');
      chmodSync(path.join(folder, 'secret.txt'), 0);
    }
    const ended = await run();
    const { stderr } = ended;
    const leftOut = [
      /empty\.txt: it is empty/,
      /picture\.png: it is no text: byte 8 is NUL/,
      /latin\.txt: it is not text in UTF-8: \d+ of 100 characters .* Latin-1/,
      ...(canBeUnreadable ? [/secret\.txt: reading it is not permitted/] : []),
    ];
    expect(stderr).toMatch(/Taking in \d+ files .*\n +1 file passed over:\n +\.DS_Store: its name begins with a dot\n/);
    expect(stderr).toContain(`${leftOut.length} files left out:`);
    for (const words of leftOut) expect(stderr).toMatch(words);
    for (const words of [
      /bad-line\.jsonl: line 7: it is not JSON/,
      /wide\.txt: it is UTF-16, and was read by its byte order mark/,
      /damaged\.txt: places that are no UTF-8: 1;/,
    ]) {
      expect(stderr).toMatch(words);
    }
    expect(stderr).toMatch(/large\.txt: 90\d{5} bytes in 9 parts/);
    // Each of the eight has a claim of its own, the one with a bad line two: before it and after it.
    const taken = { sources: 8, settled: 8, leasesLeft: 0, claims: 9 };
    expect(figuresOf(ended), stderr).toMatchObject(taken);
    expect(ended.code).toBe(canBeUnreadable ? 1 : 0);
  });

  it('loses a transcript with a bad line where that was asked for, and no other', { timeout: TIMEOUT_MS }, async () => {
    put('bad-line.jsonl', [...session(claim('one')), '{'].join('\n'));
    put('good.jsonl', session(claim('two')).join('\n'));
    const ended = await run('--strict');
    expect(ended.stderr).toMatch(/1 file left out:\n +bad-line\.jsonl: line 2: it is not JSON; each line is/);
    expect(figuresOf(ended)).toMatchObject({ sources: 1, settled: 1, claims: 1 });
    expect(ended.code).toBe(1);
  });
});
