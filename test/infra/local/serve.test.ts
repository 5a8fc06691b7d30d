import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeCalls } from '../../../infra/local/serve-calls.ts';
import { makeFolder, runCommand, type RunningCommand, startCommand } from './command-run.ts';

/** Starting takes seconds, and many times that on a machine whose cores are shared. */
const TIMEOUT_MS = 180_000;

/** Reads a printed curl line as a shell would: words, and double quotes with escaped ones inside. */
function readCall(line: string): { url: string; method: string; body: string | undefined } {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '',
  );
  const after = (flag: string): string | undefined => {
    const place = words.indexOf(flag);
    return place < 0 ? undefined : words[place + 1];
  };
  return { url: words.find((word) => word.startsWith('http')) ?? '', method: after('-X') ?? 'GET', body: after('-d') };
}

async function call<Answer>(line: string): Promise<Answer> {
  const { url, method, body } = readCall(line);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method, ...(body !== undefined && { body, headers }) });
  expect(response.ok, `${response.status} ${line}`).toBe(true);
  return (await response.json()) as Answer;
}

describe('npm run serve', () => {
  let made: ReturnType<typeof makeFolder>;
  let running: RunningCommand | undefined;

  beforeEach(() => {
    made = makeFolder();
  });
  afterEach(async () => {
    running?.child.kill('SIGKILL');
    await running?.end;
    made.remove();
  });

  it('prints four calls that work as printed, and ends by a signal', { timeout: TIMEOUT_MS }, async () => {
    running = startCommand(['serve', '--port', '0', '--data', path.join(made.folder, 'store')]);
    const [, url] = await running.says(/Serving at (http:\/\/127\.0\.0\.1:\d+)\n/);
    const { input } = await running.says(/Ctrl-C ends it/);
    const lines = input.split('\n').filter((line) => line.startsWith('curl'));
    expect(lines).toHaveLength(4);
    const [put = '', drain = '', claims = '', status = ''] = lines;
    expect(lines.every((line) => readCall(line).url.startsWith(`${url}/v1/scopes/demo/`))).toBe(true);

    expect(await call(put)).toMatchObject({ results: [{ id: 'first-session', outcome: 'created' }] });
    expect(await call(drain)).toMatchObject({ status: 'admitted' });
    await expect
      .poll(async () => (await call<{ running: unknown[]; backlog: object }>(status)).running, { timeout: 60_000 })
      .toEqual([]);
    expect(await call(claims)).toMatchObject({
      claims: [{ entity: 'Maya', attribute: 'lives_in', value: 'Denver', state: 'active' }],
    });

    running.child.kill('SIGINT');
    expect((await running.end).code).toBe(130);
  });

  it('says in one sentence that a port is taken, and writes nothing', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const store = path.join(made.folder, 'store');
    const { code, stderr } = await runCommand(['serve', '--port', String(port), '--data', store]);
    other.close();
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `--port ${port} is in use on this machine: choose another, or 0 for any free one.\n`,
    });
    expect(existsSync(store)).toBe(false);
  });

  it.each([
    [['--port', '65536'], /^--port cannot be "65536": it takes a whole number of a port from 0 to 65535\.\n$/],
    [['--from', 'x'], /^There is no option --from; the options are --data <DIR>, /],
  ])('%j: one sentence, exit 2', async (args, sentence) => {
    const { code, stdout, stderr } = await runCommand(['serve', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
  });
});

describe('the printed calls', () => {
  it('quote for POSIX shells and cmd.exe alike: no single quote, nothing a shell would expand', () => {
    const lines = describeCalls('http://127.0.0.1:8787', 'demo', 3).filter((line) => line.startsWith('curl'));
    for (const line of lines) expect(line).not.toMatch(/['$`!%^]/);
  });
});
