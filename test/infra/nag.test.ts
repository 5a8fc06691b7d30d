import { App, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_NAMES } from '../../infra/deployment.ts';
import { buildApp, TEMPLATE_ONLY_CONTEXT } from '../../infra/synthesize.ts';

interface Finding {
  readonly rule: string;
  readonly path: string;
}
interface Acknowledgement extends Finding {
  readonly reason: string;
  readonly on: IConstruct;
}

function buildFor(env: string): App {
  return buildApp({ context: { env, observability: 'full', ...TEMPLATE_ONLY_CONTEXT } });
}

function findingsOf(app: App, checks = new AwsSolutionsChecks(app)): Finding[] {
  return checks
    .validateScope(app)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => ({ rule: ruleName, path: constructPath ?? '' })),
    );
}

/** What would be found if nothing were acknowledged. */
function rawFindingsOf(app: App): Finding[] {
  return findingsOf(app, Object.assign(new AwsSolutionsChecks(app), { isAcknowledged: () => false }));
}

function acknowledgementsOf(app: App): Acknowledgement[] {
  return app.node.findAll().flatMap((on) =>
    on.node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .map(([id, reason]) => ({ rule: id.replace(/^annotation::/i, ''), path: on.node.path, reason, on })),
  );
}

describe.each(ENVIRONMENT_NAMES)('cdk-nag AwsSolutions on %s', (env) => {
  const app = buildFor(env);

  it('finds nothing that is not acknowledged', () => {
    expect(findingsOf(app)).toEqual([]);
  });

  it('has a reason in words for each acknowledgement, on one resource each', () => {
    for (const { on, reason, path } of acknowledgementsOf(app)) {
      expect(reason.split(' ').length, path).toBeGreaterThanOrEqual(8);
      expect(on.node.findAll().filter((one) => CfnResource.isCfnResource(one)).length, path).toBeLessThanOrEqual(2);
    }
  });

  it('has no acknowledgement without a finding', () => {
    const raw = rawFindingsOf(app);
    const stale = acknowledgementsOf(app).filter(
      ({ rule, path }) => !raw.some((finding) => finding.rule === rule && finding.path.startsWith(path)),
    );
    expect(stale.map(({ rule, path }) => `${rule} on ${path}`)).toEqual([]);
  });
});

describe('the check itself', () => {
  it('finds a queue that is neither bound to TLS nor has a dead-letter queue', () => {
    const app = new App();
    new Queue(new Stack(app, 'Careless'), 'Plain');
    expect(findingsOf(app).map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['AwsSolutions-SQS3', 'AwsSolutions-SQS4']),
    );
  });

  it('sees the findings that prod acknowledges', () => {
    expect(rawFindingsOf(buildFor('prod')).map(({ rule }) => rule.replace(/\[.*/, ''))).toEqual(
      expect.arrayContaining(['AwsSolutions-IAM5', 'AwsSolutions-SQS3']),
    );
  });
});
