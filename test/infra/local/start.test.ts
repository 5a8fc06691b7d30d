import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
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

async function runToFigures(args: readonly string[]): Promise<{ code: number | null; figures: RunFigures }> {
  const { code, stdout, stderr } = await runCommand(['start', '--from', notes, ...OPTIONS, ...args]);
  expect(stdout.trimEnd().split('\n'), stderr).toHaveLength(1);
  return { code, figures: JSON.parse(stdout) as RunFigures };
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

  it('does only new work on a kept store', { timeout: TIMEOUT_MS }, async () => {
    writeNotes(notes, 3);
    const data = ['--data', store, '--delay-ms', '0'];
    expect((await runToFigures(data)).figures).toMatchObject({ sources: 3, deliveries: 3, claims: 3 });
    const again = await runToFigures(data);
    expect(again.code).toBe(0);
    expect(again.figures).toMatchObject({ sources: 3, settled: 3, deliveries: 0, passes: 0, claims: 3 });
    writeNotes(notes, 4);
    expect((await runToFigures(data)).figures).toMatchObject({ sources: 4, settled: 4, deliveries: 1, claims: 4 });
  });

  it('names what it leaves out, takes the rest, and ends with 1 for text', { timeout: TIMEOUT_MS }, async () => {
    writeNotes(notes, 1);
    writeFileSync(path.join(notes, 'picture.png'), Buffer.from([0x89, 0xff]));
    writeFileSync(path.join(notes, 'blank.txt'), ' \n');
    const { code, stdout, stderr } = await runCommand(['start', '--from', notes, ...OPTIONS, '--delay-ms', '0']);
    expect(stderr).toMatch(
      /2 files left out:\n +picture\.png: it is no text: .*\n +blank\.txt: nothing is left of the text/,
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ sources: 1, settled: 1 });
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

      const askedAtMs = performance.now();
      first.child.kill('SIGINT');
      expect(await first.end).toMatchObject({ code: 130, stdout: '' });
      expect(performance.now() - askedAtMs).toBeLessThan(2_000);
      expect(readdirSync(store)).not.toContain('nightjar.lock');

      const third = await runToFigures([...data, '--delay-ms', '0']);
      expect(third.code).toBe(0);
      expect(third.figures).toMatchObject({ sources: 12, settled: 12, doubleDeliveries: 0, leasesLeft: 0 });
    },
  );

  it.runIf(isPosix).each([
    ['SIGTERM', /nothing leaves it/],
    ['SIGINT', /Taking in/],
  ] as const)('ends by %s at %s, and the next run finishes', { timeout: TIMEOUT_MS }, async (signal, moment) => {
    writeNotes(notes, 60);
    const data = ['--data', store, '--delay-ms', '0'];
    const first = startCommand(['start', '--from', notes, ...OPTIONS, ...data]);
    await first.says(moment);
    first.child.kill(signal);
    expect((await first.end).code).toBe(130);
    expect((await runToFigures(data)).figures).toMatchObject({ sources: 60, settled: 60, leasesLeft: 0 });
  });
});
