/**
 * The CDK app: `node infra/app.ts`, run by the cdk command line or by the embedded runtime (see `infra/README.md`).
 * It needs neither an AWS account nor a network.
 */
import { buildApp } from './synthesize.ts';

buildApp().synth();
