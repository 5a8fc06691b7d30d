import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAUNCHER, makeFolder, runCommand } from './command-run.ts';

const MACHINE_NODE = '/usr/bin/node';
const isOld = (): boolean => {
  if (!existsSync(MACHINE_NODE)) return false;
  const major = Number(/^v(\d+)/.exec(execFileSync(MACHINE_NODE, ['--version'], { encoding: 'utf8' }))?.[1]);
  return major >= 18 && major < 24;
};
/** Makes this Node believe that it is an old one. */
const PRETEND_OLD = [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.2'})`,
];

/** A copy of the launcher in a project of its own. */
describe('launch.mjs', () => {
  let project: ReturnType<typeof makeFolder>;
  let launcher: string;

  beforeEach(() => {
    project = makeFolder();
    launcher = path.join(project.folder, 'infra/local/launch.mjs');
    mkdirSync(path.dirname(launcher), { recursive: true });
    copyFileSync(LAUNCHER, launcher);
  });
  afterEach(() => project.remove());

  const putNode = (): void => {
    const binary = path.join(
      project.folder,
      'node_modules/node/bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    );
    mkdirSync(path.dirname(binary), { recursive: true });
    writeFileSync(binary, '');
  };

  it('says npm ci when the dependencies are missing', async () => {
    const { code, stdout, stderr } = await runCommand(['start'], { launcher });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('The dependencies are not installed. Install them: npm ci\n');
  });

  it('says why the pinned Node is missing and the one command that fetches it', async () => {
    mkdirSync(path.join(project.folder, 'node_modules'));
    const { code, stderr } = await runCommand(['start'], { launcher, nodeOptions: PRETEND_OLD });
    expect(code).toBe(1);
    expect(stderr.split('\n')[0]).toMatch(/this is 20\.1\.2.*install scripts are disabled/);
    expect(stderr).toContain('npm rebuild node --ignore-scripts=false');
  });

  it.runIf(isOld())('says so on the machine’s own old Node, which can parse it', async () => {
    mkdirSync(path.join(project.folder, 'node_modules'));
    const { code, stderr } = await runCommand(['start'], { launcher, node: MACHINE_NODE });
    expect(code).toBe(1);
    expect(stderr.split('\n')[0]).toMatch(/install scripts are disabled.*npm rebuild node --ignore-scripts=false$/);
  });

  it.each([
    ['serve', 'npm run serve'],
    ['vitest', 'npm run test'],
  ])('sends an old Node that was called directly to npm: %s', async (verb, command) => {
    putNode();
    const { code, stderr } = await runCommand([verb], { launcher, nodeOptions: PRETEND_OLD });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Nightjar needs Node 24 and this is 20.1.2. Let npm choose the pinned one: ${command}\n`,
    });
  });

  it('runs what a verb names, and exits with what it answers', async () => {
    putNode();
    writeFileSync(
      path.join(path.dirname(launcher), 'start.ts'),
      'export const main = (args: string[]): Promise<number> => Promise.resolve(args.length);',
    );
    writeFileSync(path.join(project.folder, 'package.json'), '{"type":"module"}');
    expect((await runCommand(['start', 'a', 'b', 'c'], { launcher })).code).toBe(3);
  });

  it('names the verbs when there is none of that name', async () => {
    putNode();
    const { code, stderr } = await runCommand(['begin'], { launcher });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'There is no verb "begin"; there are start, serve, check, bench, plan, repair, simulate, witness, fuzz, endure, cover and vitest.\n',
    });
  });
});
