import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { METRICS, METRICS_NAMESPACE } from '../../schema/metrics.ts';
import { at, functionId, loadTemplate, resourcesOf } from './template.ts';

const LOG_MODULE = new URL('../../functions/io/log.ts', import.meta.url).href;
const EMIT = `
  const { createLog } = await import(${JSON.stringify(LOG_MODULE)});
  const log = createLog('worker');
  log.count('leasesLost', 3);
  log.flush();
`;

/** Lets the worker's own code count a lost lease under the environment that the template gives it; returns its metric lines. */
function emitUnder(context: Record<string, unknown>): Record<string, unknown>[] {
  const template = loadTemplate(context);
  const variables = at(template.Resources[functionId(template, 'worker')]?.Properties, 'Environment', 'Variables');
  const literal = Object.entries(variables as Record<string, unknown>).filter(([, value]) => typeof value === 'string');
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', EMIT], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...(Object.fromEntries(literal) as Record<string, string>) },
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line.includes('"_aws"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The dashboard's widgets as text, with references in place of what only the deployment knows. */
function dashboardText(context: Record<string, unknown>): string {
  const [dashboard] = resourcesOf(loadTemplate(context), 'AWS::CloudWatch::Dashboard');
  const parts = at(dashboard?.[1].Properties.DashboardBody, 'Fn::Join', 1) as unknown[];
  return parts.map((part) => (typeof part === 'string' ? part : '…')).join('');
}

describe.each(['dev', 'prod'])('our own metrics in %s', (env) => {
  it('are looked for where the functions put them: namespace, name and the one dimension', () => {
    const [line] = emitUnder({ env });
    const directive = at(line, '_aws', 'CloudWatchMetrics', 0);
    expect(at(directive, 'Namespace')).toBe(METRICS_NAMESPACE);
    expect(at(directive, 'Dimensions')).toEqual([['service']]);
    expect(line?.[METRICS.leasesLost]).toBe(3);
    const series = JSON.stringify([METRICS_NAMESPACE, METRICS.leasesLost, 'service', line?.service]).slice(0, -1);
    expect(dashboardText({ env }).includes(series), `the dashboard shows ${series}`).toBe(true);
  });

  it('are not mixed with those of another environment of the same account', () => {
    expect(emitUnder({ env })[0]?.service).toBe(`nightjar-${env}`);
  });

  it('are not emitted at all when observability is off', () => {
    expect(emitUnder({ env, observability: 'off' })).toEqual([]);
  });
});
