/**
 * Builds the app; for the tests and the embedded runtime also synthesizes it in this process, without bundling.
 */
import { readFileSync } from 'node:fs';
import { App, type AppProps } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };
import { readDeployment } from './deployment.ts';
import { NightjarStack } from './stack.ts';

/** Context under which no function is bundled: the template is the same but for the hashes of the assets. */
export const TEMPLATE_ONLY_CONTEXT = { 'aws:cdk:bundling-stacks': [] } as const;

/**
 * The app with its one stack. Context comes from the cdk command line or `CDK_CONTEXT_JSON`, the output folder from
 * `CDK_OUTDIR`; both may also be given. Throws when the context has a value that is not allowed.
 */
export function buildApp(props: Pick<AppProps, 'context' | 'outdir' | 'builtinCloudFormationValidation'> = {}): App {
  const app = new App({
    ...props,
    // The feature flags shape the template, so they must hold without the cdk command line too.
    context: { ...cdkJson.context, ...props.context },
    // No metadata resource: it reports construct versions to AWS and would stand in the template under a condition.
    analyticsReporting: false,
  });
  const deployment = readDeployment(app.node);
  new NightjarStack(app, `Nightjar-${deployment.environment}`, deployment);
  return app;
}

/** Where a template was written, and its text. */
export interface SynthesizedTemplate {
  readonly path: string;
  readonly text: string;
}

/**
 * Synthesizes into `outdir` without bundling and without CloudFormation's checks, which take longer than all the rest.
 * `context` is what `-c` would carry, such as `{ env: 'prod' }`.
 */
export function synthesizeTemplate(outdir: string, context: Record<string, unknown> = {}): SynthesizedTemplate {
  const app = buildApp({
    outdir,
    context: { ...context, ...TEMPLATE_ONLY_CONTEXT },
    builtinCloudFormationValidation: false,
  });
  const [stack] = app.synth().stacks;
  if (stack === undefined) throw new Error(`The app synthesized no stack into ${outdir}; it must have exactly one.`);
  return { path: stack.templateFullPath, text: readFileSync(stack.templateFullPath, 'utf8') };
}
