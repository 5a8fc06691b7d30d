import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashInputs, loadTemplate, ROOT } from '../../../infra/local/template-cache.ts';
import { makeFolder } from './command-run.ts';

/** An app that is quick: it notes that it ran, and writes what the real one would. */
const APP = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('runs.txt', 'ran,');
mkdirSync(process.env.CDK_OUTDIR, { recursive: true });
writeFileSync(process.env.CDK_OUTDIR + '/Nightjar-dev.template.json', '{"Resources":{}}');
`;

describe('the kept template', () => {
  let made: ReturnType<typeof makeFolder>;
  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(made.folder, name)), { recursive: true });
    writeFileSync(path.join(made.folder, name), text);
  };
  const kept = (): string[] => readdirSync(path.join(made.folder, '.nightjar'));
  const runs = (): string => readFileSync(path.join(made.folder, 'runs.txt'), 'utf8');
  const load = () => loadTemplate({ root: made.folder });

  beforeEach(() => {
    made = makeFolder();
    put('package.json', '{"type":"module"}');
    put('infra/app.ts', APP);
    put('infra/local/start.ts', 'one');
    put('schema/table.ts', 'one');
    put('cdk.json', '{}');
  });
  afterEach(() => made.remove());

  it('is made once, and again when an input changes; older ones go', async () => {
    expect(await load()).toEqual({ Resources: {} });
    expect(await load()).toEqual({ Resources: {} });
    expect(runs()).toBe('ran,');
    put('schema/table.ts', 'two');
    await load();
    expect(runs()).toBe('ran,ran,');
    expect(kept()).toEqual([`template-${hashInputs(made.folder)}.json`]);
  });

  it.each([
    ['cdk.json', true],
    ['package-lock.json', true],
    ['infra/stack.ts', true],
    ['infra/deep/er.ts', true],
    ['schema/new.ts', true],
    ['infra/local/start.ts', false],
    ['functions/worker/run.ts', false],
    ['README.md', false],
  ])('depends on %s: %s', (name, depends) => {
    const before = hashInputs(made.folder);
    put(name, 'changed');
    expect(hashInputs(made.folder) !== before).toBe(depends);
  });

  it('says what the app said when it fails, and leaves nothing', async () => {
    put('infra/app.ts', 'console.error("no such construct"); process.exit(3);');
    await expect(load()).rejects.toThrow(/could not be synthesized \(exit 3\): no such construct/);
    expect(kept()).toEqual([]);
  });

  it('can be ended in mid-way, and leaves nothing', async () => {
    put('infra/app.ts', `${APP}\nconsole.error('made');\nsetInterval(() => {}, 1000);`);
    let stop = (): void => {};
    const loading = loadTemplate({ root: made.folder, onChild: (end) => (stop = end) });
    const ended = expect(loading).rejects.toThrow(/SIGKILL/);
    while (!existsSync(path.join(made.folder, 'runs.txt'))) await new Promise((resolve) => setTimeout(resolve, 20));
    stop();
    await ended;
    expect(kept()).toEqual([]);
  });

  it('is not made from what runs it', () => {
    const folder = path.join(ROOT, 'infra');
    const imports = readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .filter((name) => /from '\.\/local\//.test(readFileSync(path.join(folder, name), 'utf8')));
    expect(imports).toEqual([]);
  });
});
