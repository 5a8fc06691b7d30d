import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { TEMPLATE_ONLY_CONTEXT } from '../../infra/synthesize.ts';
import { loadTemplate, resourcesOf, synthesizeText, type Template } from './template.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const outdir = mkdtempSync(join(tmpdir(), 'nightjar-app-'));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

/** Runs `node infra/app.ts` as the embedded runtime does. */
function runApp(context: Record<string, unknown>): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, ['infra/app.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      ...process.env,
      CDK_OUTDIR: outdir,
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify({ ...TEMPLATE_ONLY_CONTEXT, ...context }),
    },
  });
  return { status, stderr };
}

describe('synthesis', () => {
  it('gives the same bytes twice', () => {
    expect(synthesizeText()).toBe(synthesizeText());
  });

  it('gives the same bytes as a process of its own, with no account, region or network', () => {
    expect(runApp({})).toMatchObject({ status: 0 });
    expect(readFileSync(join(outdir, 'Nightjar-dev.template.json'), 'utf8')).toBe(synthesizeText());
  });

  it('differs between environments', () => {
    expect(synthesizeText({ env: 'prod' })).not.toBe(synthesizeText({ env: 'dev' }));
  });

  it('fails with the allowed environments, in one sentence', () => {
    const { status, stderr } = runApp({ env: 'qa' });
    expect(status).toBe(1);
    expect(stderr).toBe('Context "env" is "qa"; allowed are dev, staging, prod. Pass one of them: -c env=dev.\n');
  });
});

/**
 * Properties that would give a resource a fixed name, so that it could not be replaced or stand twice in an account.
 * The path of a Systems Manager parameter is the point of it; an API's name is a label; `$default` is no name but a kind.
 */
function findPhysicalNames(template: Template): string[] {
  const allowed = /^AWS::(SSM::Parameter|ApiGatewayV2::Api|IAM::Policy)\./;
  return Object.entries(template.Resources)
    .flatMap(([id, { Type, Properties }]) =>
      Object.entries(Properties)
        .filter(([property, value]) => property.endsWith('Name') && typeof value === 'string' && value !== '$default')
        .map(([property]) => `${Type}.${property} of ${id}`),
    )
    .filter((found) => !allowed.test(found));
}

describe('names', () => {
  const template = loadTemplate();

  it('are left to CloudFormation', () => {
    expect(findPhysicalNames(template)).toEqual([]);
  });

  it('are noticed when given', () => {
    const copy = structuredClone(template);
    const [queue] = resourcesOf(copy, 'AWS::SQS::Queue');
    Object.assign(queue?.[1].Properties ?? {}, { QueueName: 'triggers' });
    expect(findPhysicalNames(copy)).toEqual([expect.stringContaining('AWS::SQS::Queue.QueueName')]);
  });

  it('are published under /nightjar/<environment>/ and as outputs', () => {
    const parameters = resourcesOf(loadTemplate({ env: 'staging' }), 'AWS::SSM::Parameter').map(
      ([, { Properties }]) => Properties.Name,
    );
    expect(parameters).toContain('/nightjar/staging/api-url');
    expect(parameters).toContain('/nightjar/staging/failed-passes-dead-letters-queue-url');
    for (const name of parameters) expect(name).toMatch(/^\/nightjar\/staging\/[a-z-]+$/);
    expect(parameters).toHaveLength(Object.keys(template.Outputs).length);
    expect(template.Outputs).toHaveProperty('ApiUrl');
  });
});
