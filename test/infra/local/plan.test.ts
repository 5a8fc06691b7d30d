import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describePlan, main, parsePlan } from '../../../infra/local/plan.ts';
import { call } from '../../support/api.ts';
import { notes } from '../../support/deployment.ts';
import { useDeployments } from '../../support/deployments.ts';

const deploy = useDeployments();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'plan-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('npm run plan', () => {
  it('prints what the next tick would do, and the tick then does it', async () => {
    const deployment = deploy({ settings: { maxWaitMs: 0, maxConcurrentPasses: 2 } });
    for (const scope of ['a', 'b', 'c']) await deployment.ingest(scope, notes(3));
    await call(deployment, 'POST /v1/scopes/c/pause');
    const { body } = await call(deployment, 'GET /v1/status?snapshot=1');
    expect(JSON.stringify(body)).not.toContain('nothing much happened');
    const lines = describePlan(body, {});
    expect(lines).toEqual([
      expect.stringContaining('0 of 2 passes run'),
      expect.stringMatching(/^admitted +a +slot number 0$/),
      expect.stringMatching(/^admitted +b +slot number 0$/),
      expect.stringMatching(/^refused +c +paused: this scope is paused$/),
    ]);
    await deployment.tick();
    expect(
      deployment
        .passes()
        .map((pass) => String(pass.scope))
        .sort(),
    ).toEqual(['a', 'b']);
  });

  it('asks with other settings', async () => {
    const deployment = deploy({ settings: { maxWaitMs: 0 } });
    await deployment.ingest('a', notes(50));
    await deployment.ingest('a', notes(60).slice(50));
    const { body } = await call(deployment, 'GET /v1/status?snapshot=1');
    const { set } = parsePlan(['x.json', '--set', 'maxPassesPerScope=4', '--set', 'maxConcurrentPasses=9']);
    expect(describePlan(body, set)).toEqual([
      expect.stringContaining('0 of 9 passes run, with maxPassesPerScope=4, maxConcurrentPasses=9'),
      expect.stringMatching(/slot number 0, slot number 1, slot number 2, slot number 3$/),
    ]);
  });

  it.each([
    [[], /^Name a snapshot: a file with the answer of GET/],
    [
      ['x.json', '--set', 'maxPases=1'],
      /^--set cannot be "maxPases=1": Unrecognized key: "maxPases"; known settings: /,
    ],
    [['x.json', '--set', 'pageSources=99'], 'pageSources must be a whole number from 1 to 50'],
    [['x.json', '--set', 'pageSources'], /^--set cannot be "pageSources": it takes NAME=VALUE, such as /],
  ])('refuses what it cannot read: %j', (args, message) => {
    expect(() => parsePlan(args)).toThrow(message);
  });

  it('ends with 2 on a file that is none or no snapshot', async () => {
    const file = path.join(folder, 'snapshot.json');
    let said = '';
    const heard = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
    expect(await main([file])).toBe(2);
    writeFileSync(file, 'nonsense');
    expect(await main([file])).toBe(2);
    writeFileSync(file, '{"v":1}');
    expect(await main([file])).toBe(2);
    heard.mockRestore();
    const lines = said.replaceAll(file, 'FILE').trimEnd().split('\n');
    expect(lines).toEqual([
      'The snapshot FILE does not exist.',
      expect.stringMatching(/^The snapshot FILE is not JSON: Unexpected token/),
      expect.stringMatching(/^FILE is no snapshot, the answer of GET \/v1\/status\?snapshot=1: \w+: /),
    ]);
  });
});
