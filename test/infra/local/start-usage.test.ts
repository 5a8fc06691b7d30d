import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder, runCommand } from './command-run.ts';

let made: ReturnType<typeof makeFolder>;

beforeEach(() => {
  made = makeFolder();
  mkdirSync(path.join(made.folder, 'notes'));
});
afterEach(() => made.remove());

describe('npm start, called wrongly', () => {
  it.each([
    [['--colour', 'red'], /^There is no option --colour; the options are --from <DIR>, .*--json\.$/],
    [['notes'], /^Only options are taken, not "notes"; the options are /],
    [['--passes', '0'], /^--passes cannot be "0": it takes a whole number of passes from 1 to 16\.$/],
    [['--passes', '17'], /"17": it takes a whole number of passes from 1 to 16\.$/],
    [['--passes', '2.5'], /"2\.5": it takes a whole number/],
    [['--passes', '1e1'], /"1e1": it takes a whole number/],
    [['--passes'], /^--passes <N> was given no value/],
    [['--executor', 'model'], /^--executor cannot be "model": it takes one of rules, stub\.$/],
    [['--scope', 'a/b'], /^--scope cannot be "a\/b": a scope is 1 to 128 characters out of /],
    [['--scope', '..'], /^--scope cannot be "\.\.": a scope is more than dots\.$/],
    [['--delay-ms', '-1'], /^--delay-ms cannot be "-1": it takes a whole number of milliseconds from 0 to 600000\.$/],
    [['--from', 'nowhere'], /nowhere does not exist: name a folder with files\.$/],
    [['--from', 'a.txt'], /a\.txt is not a folder: name a folder with files\.$/],
    [['--from', 'notes'], /notes holds no file to read /],
    [['--data', 'a.txt'], /a\.txt is not a folder: name a folder, which may be new\.$/],
    [['--from', '.', '--data', 'store'], /store lies in --from .* name a folder outside\.$/],
  ])('%j: one sentence, exit 2, nothing written', async (args, sentence) => {
    writeFileSync(path.join(made.folder, 'a.txt'), 'text');
    const given = args.includes('--data') ? args : ['--data', 'store', ...args];
    const { code, stdout, stderr } = await runCommand(['start', ...given], { cwd: made.folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd()).toMatch(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(readdirSync(made.folder).toSorted()).toEqual(['a.txt', 'notes']);
  });
});
