import { describe, expect, it } from 'vitest';
import { FUNCTION_NAMES } from '../../infra/deployment.ts';
import { ENVIRONMENT, FUNCTION_ENVIRONMENT, PARAMETERS } from '../../schema/environment.ts';
import { METRICS } from '../../schema/metrics.ts';
import { at, functionId, loadTemplate, resourcesOf, synthesizeText, type Template } from './template.ts';

function reservations(template: Template): Record<string, unknown> {
  return Object.fromEntries(
    FUNCTION_NAMES.map((name) => [
      name,
      template.Resources[functionId(template, name)]?.Properties.ReservedConcurrentExecutions,
    ]).filter(([, count]) => count !== undefined),
  ) as Record<string, unknown>;
}

describe('context', () => {
  it.each([
    [{ env: 'production' }, /"env" is "production"; allowed are dev, staging, prod/],
    [{ env: '' }, /"env" is ""; allowed are dev, staging, prod/],
    [{ observability: 'some' }, /"observability" is "some"; allowed are off, basic, full/],
    [{ reservedConcurrency: 'worker' }, /entry "worker"; an entry is <function>=<number>/],
    [
      { reservedConcurrency: 'work=2' },
      /entry "work=2".*ingest, trigger, reader, curator, eraser, scheduler, worker, finalizer/,
    ],
    [{ reservedConcurrency: 'worker=0' }, /entry "worker=0".*from 1/],
    [{ reservedConcurrency: 'worker=1001' }, /entry "worker=1001".*to 1000/],
    [{ reservedConcurrency: 'scheduler=4' }, /entry "scheduler=4".*scheduler: 5/],
  ])('%j is refused with what is allowed', (context, message) => {
    expect(() => synthesizeText(context)).toThrow(message);
  });

  it('reserves nothing unless asked to: a new account refuses reservations', () => {
    expect(reservations(loadTemplate())).toEqual({});
    expect(reservations(loadTemplate({ reservedConcurrency: 'off' }))).toEqual({});
  });

  it('reserves what is asked for', () => {
    const template = loadTemplate({ reservedConcurrency: 'worker=20,scheduler=6' });
    expect(reservations(template)).toEqual({ worker: 20, scheduler: 6 });
  });
});

describe('the functions', () => {
  const template = loadTemplate();
  const variablesOf = (name: (typeof FUNCTION_NAMES)[number]) =>
    at(template.Resources[functionId(template, name)]?.Properties, 'Environment', 'Variables') as Record<
      string,
      unknown
    >;

  it.each(FUNCTION_NAMES)('%s gets its variables and no others', (name) => {
    const own = Object.keys(variablesOf(name)).filter((variable) => !variable.startsWith('POWERTOOLS_'));
    expect(own.sort()).toEqual(FUNCTION_ENVIRONMENT[name].map((variable) => ENVIRONMENT[variable]).sort());
  });

  it.each(FUNCTION_NAMES)('%s runs on arm64 with Node 24 as an ES module', (name) => {
    expect(template.Resources[functionId(template, name)]?.Properties).toMatchObject({
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      Handler: 'index.handler',
    });
  });

  it('read the deployment-wide values from parameters with the defaults of the schema', () => {
    for (const [variable, { name, default: Default }] of Object.entries(PARAMETERS)) {
      expect(template.Parameters[name]?.Default).toBe(Default);
      expect(variablesOf('worker')[ENVIRONMENT[variable as keyof typeof PARAMETERS]]).toEqual({ Ref: name });
    }
  });
});

describe('observability', () => {
  const bodies = (observability: string) =>
    resourcesOf(loadTemplate({ observability }), 'AWS::CloudWatch::Dashboard').map(([, { Properties }]) =>
      JSON.stringify(Properties.DashboardBody),
    );

  it('off makes no dashboard and emits no metrics', () => {
    expect(bodies('off')).toEqual([]);
    const off = loadTemplate({ observability: 'off' });
    for (const [, { Properties }] of resourcesOf(off, 'AWS::Lambda::Function')) {
      expect(at(Properties, 'Environment', 'Variables', 'POWERTOOLS_METRICS_DISABLED')).toBe('true');
    }
  });

  it('basic shows backlog, passes, leases lost, failures and dead letters on one page', () => {
    const [body, ...others] = bodies('basic');
    expect(others).toEqual([]);
    for (const metric of [
      METRICS.sourcesIngested,
      METRICS.sourcesSettled,
      METRICS.passesAdmitted,
      METRICS.leasesLost,
    ]) {
      expect(body).toContain(metric);
    }
    for (const metric of ['Errors', 'IteratorAge', 'ThrottledRequests', 'ApproximateNumberOfMessagesVisible']) {
      expect(body).toContain(metric);
    }
    expect(body).not.toMatch(/"scope/i);
  });

  it('full adds to the same page', () => {
    const [basic] = bodies('basic');
    const [full, ...others] = bodies('full');
    expect(others).toEqual([]);
    expect(full?.length).toBeGreaterThan(2 * (basic?.length ?? 0));
  });
});
