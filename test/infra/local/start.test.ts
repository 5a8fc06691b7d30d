import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunFigures } from '../../../infra/local/figures.ts';
import { makeFolder, runCommand, startCommand, writeNotes } from './command-run.ts';

const isPosix = process.platform !== 'win32';
const TIMEOUT_MS = 180_000;

let made: ReturnType<typeof makeFolder>;
let notes: string;
let store: string;

beforeEach(() => {
  made = makeFolder();
  notes = path.join(made.folder, 'notes');
  store = path.join(made.folder, 'store');
  mkdirSync(notes);
});
afterEach(() => made.remove());

const OPTIONS = ['--executor', 'stub', '--json'];

async function runToFigures(args: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(['start', '--from', notes, ...OPTIONS, ...args]);
  expect(stdout.trimEnd().split('\n'), stderr).toHaveLength(1);
  return { code, stderr, figures: JSON.parse(stdout) as RunFigures };
}

describe('npm start', () => {
  it('says at once that nothing leaves the machine, and puts one line of figures on stdout', {
    timeout: TIMEOUT_MS,
  }, async () => {
    writeNotes(notes, 12);
    // What is no text is named and costs nothing.
    writeFileSync(path.join(notes, 'picture.png'), Buffer.from([0x89, 0xff]));
    const running = startCommand(['start', '--from', notes, ...OPTIONS]);
    await running.says(/^.*nothing leaves it\.\n/);
    const { code, stdout, stderr } = await running.end;
    expect(stderr.split('\n')[0]).toBe('Nightjar runs whole on this machine: nothing leaves it.');
    expect(code, stderr).toBe(0);
    const figures = JSON.parse(stdout) as RunFigures;
    expect(Object.keys(figures)).toEqual([
      'sources',
      'settled',
      'deliveries',
      'doubleDeliveries',
      'leasesLeft',
      'passes',
      'peakPasses',
      'claims',
      'superseded',
      'wallMs',
      'requests',
      'units',
    ]);
    const counted = { sources: 12, settled: 12, deliveries: 12, doubleDeliveries: 0, leasesLeft: 0, peakPasses: 3 };
    expect(figures).toMatchObject({ ...counted, passes: 3, claims: 12, superseded: 0 });
    expect(figures.requests).toMatchObject({ dynamodb: { UpdateItem: expect.any(Number) }, lambda: { Invoke: 3 } });
    expect(Math.min(figures.wallMs, figures.units.read, figures.units.write)).toBeGreaterThan(0);
  });

  it('does only new work on a kept store: a new file, and of a transcript that grew its new turns', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const turnOf = (text: string) => JSON.stringify({ speaker: 'Maya', text, at: '2024-05-03T10:00:00Z' });
    const talk = [turnOf('@claim Maya | first | yes'), turnOf('and so on')];
    mkdirSync(path.join(notes, 'talk'));
    const putTalk = (lines: readonly string[]) =>
      writeFileSync(path.join(notes, 'talk/first day.jsonl'), lines.join('\n'));
    writeNotes(notes, 3);
    putTalk(talk);
    const data = ['--data', store, '--delay-ms', '0'];
    expect((await runToFigures(data)).figures).toMatchObject({ sources: 4, deliveries: 4, claims: 4 });
    const again = await runToFigures(data);
    expect(again.code).toBe(0);
    expect(again.figures).toMatchObject({ sources: 4, settled: 4, deliveries: 0, passes: 0, claims: 4 });
    writeNotes(notes, 4);
    putTalk([...talk, turnOf('@claim Maya | second | yes')]);
    // What is no text is named and costs nothing; a text that cannot be taken in ends it with 1.
    writeFileSync(path.join(notes, 'picture.png'), Buffer.from([0x89, 0xff]));
    writeFileSync(path.join(notes, 'blank.txt'), ' \n');
    const { code, stderr, figures } = await runToFigures(data);
    expect(figures).toMatchObject({ sources: 5, settled: 5, deliveries: 2, claims: 6 });
    expect(stderr).toMatch(/2 files left out:\n +picture\.png: .*\n +blank\.txt: nothing is left of the text/);
    expect(code).toBe(1);
    // One turn was appended: its id stands beside the text, and no other does.
    const log = readFileSync(path.join(store, 'tables.jsonl'), 'utf8');
    expect(log).toContain('TURNIDS#');
    expect(Number(/"beganAt":\{"N":"(\d+)"\}/.exec(log)?.[1])).toBeGreaterThan(0);
  });

  it.runIf(isPosix)(
    'gives way to whoever holds the store; ends by a signal; the next run finishes',
    { timeout: TIMEOUT_MS },
    async () => {
      writeNotes(notes, 12);
      const data = ['--data', store];
      const first = startCommand(['start', '--from', notes, ...OPTIONS, ...data, '--delay-ms', '3000']);
      await first.says(/[123] pass(es)? running/);

      const second = await runCommand(['start', '--from', notes, ...OPTIONS, ...data]);
      expect(second).toMatchObject({ code: 2, stdout: '' });
      expect(second.stderr).toMatch(new RegExp(`is in use by process ${first.child.pid} since \\d{4}-\\d\\d-\\d\\dT`));

      first.child.kill('SIGINT');
      expect(await first.end).toMatchObject({ code: 130, stdout: '' });
      expect(readdirSync(store)).not.toContain('nightjar.lock');

      const third = await runToFigures([...data, '--delay-ms', '0']);
      expect(third.code).toBe(0);
      expect(third.figures).toMatchObject({ sources: 12, settled: 12, doubleDeliveries: 0, leasesLeft: 0 });
      // The first did not stay until its passes, of three seconds a page, were done.
      expect(third.figures.deliveries).toBeGreaterThan(0);
    },
  );

  it.runIf(isPosix)('ends by a signal at any moment, and the next run finishes', { timeout: TIMEOUT_MS }, async () => {
    writeNotes(notes, 60);
    const data = ['--data', store, '--delay-ms', '0'];
    for (const [signal, moment] of [
      ['SIGTERM', /nothing leaves it/],
      ['SIGINT', /Taking in/],
    ] as const) {
      const ended = startCommand(['start', '--from', notes, ...OPTIONS, ...data]);
      await ended.says(moment);
      ended.child.kill(signal);
      expect((await ended.end).code).toBe(130);
    }
    expect((await runToFigures(data)).figures).toMatchObject({ sources: 60, settled: 60, leasesLeft: 0 });
  });
});
