import { afterEach, describe, expect, it, vi } from 'vitest';
import { main } from './simulate.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

async function run(...args: string[]): Promise<{ code: number; lines: string[] }> {
  let written = '';
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  const code = await main(args);
  return { code, lines: written.trim().split('\n') };
}

describe('npm run simulate', () => {
  it('ends with one line of figures', async () => {
    const { code, lines } = await run('--schedules', '20', '--seed', '1', '--json');
    expect(code).toBe(0);
    const summary = JSON.parse(lines.at(-1) ?? '') as object;
    expect(summary).toEqual({
      schedules: 20,
      violations: 0,
      perMinute: expect.any(Number),
      crashes: expect.any(Number),
      mutants: [],
    });
  });

  it('tells of a mutant what caught it and when, and fails when it got away', async () => {
    const mutant = ['--mutant', 'ledger entry removed before finalized is marked', '--json'];
    const caught = await run(...mutant);
    expect(caught.code).toBe(0);
    expect(JSON.parse(caught.lines.at(-1) ?? '')).toMatchObject({
      mutants: [{ caught: true, invariant: 'the ledger outlives the pass', first: expect.any(Number) }],
    });
    const missed = await run(...mutant, '--schedules', '0');
    expect(missed.code).toBe(1);
    expect(JSON.parse(missed.lines.at(-1) ?? '')).toMatchObject({
      mutants: [{ caught: false, invariant: null, first: null }],
    });
  });

  it('hunts a mutant of claims in schedules of claims', async () => {
    const { code, lines } = await run('--mutant', 'head not rebuilt', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ mutants: [{ caught: true, invariant: 'heads' }] });
  });

  it('names the mutants there are when it is asked for another', async () => {
    await expect(run('--mutant', 'none such')).rejects.toThrow(
      /there is no mutant "none such"; there are: count-then-act/,
    );
    await expect(run('--seed', 'x')).rejects.toThrow(/^--seed cannot be "x": it takes a whole number/);
  });
});
