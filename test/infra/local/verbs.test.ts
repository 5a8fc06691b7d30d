/** Every verb of the launcher answers --help, and refuses what it does not know by the same words. */
import { describe, expect, it } from 'vitest';
import { runCommand } from './command-run.ts';

const VERBS = ['start', 'serve', 'check', 'bench', 'plan', 'repair', 'simulate', 'witness', 'fuzz', 'endure', 'cover'];

describe('every verb', () => {
  it('is asked here', async () => {
    const { stderr } = await runCommand(['begin']);
    expect(stderr).toContain(`there are ${VERBS.join(', ')} and vitest.`);
  });

  it.each(VERBS)('%s answers --help, and refuses an unknown option in one sentence', async (verb) => {
    const [asked, misused] = await Promise.all([runCommand([verb, '--help']), runCommand([verb, '--colour'])]);
    expect(asked).toEqual({ code: 0, stdout: expect.stringMatching(/-h, --help/), stderr: '' });
    expect(asked.stdout).toMatch(new RegExp(`^Usage: npm (?:run )?${verb} -- `));
    expect({ ...misused, stderr: '' }).toEqual({ code: 2, stdout: '', stderr: '' });
    expect(misused.stderr).toMatch(/^There is no option --colour; (?:the options are .*|there are none)\.\n$/);
  });

  it.each([
    ['check', 'Nothing is taken, not "everything".'],
    ['fuzz', 'Only options are taken, not "everything"; the options are --commands <N>, --seed <S>, --json.'],
  ])('%s refuses an argument it does not take', async (verb, sentence) => {
    expect(await runCommand([verb, 'everything'])).toEqual({ code: 2, stdout: '', stderr: `${sentence}\n` });
  });

  it('plan takes one snapshot', async () => {
    const { stderr } = await runCommand(['plan', 'a', 'b']);
    expect(stderr).toBe('Only one snapshot is taken, not "b" too.\n');
  });
});
