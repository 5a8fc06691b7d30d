/**
 * The CDK app: `node infra/app.ts`, run by the cdk command line or by the embedded runtime (see `infra/README.md`).
 * It needs neither an AWS account nor a network.
 */
import { ContextError } from './deployment.ts';
import { buildApp } from './synthesize.ts';

try {
  buildApp().synth();
} catch (error) {
  // A wrong `-c` is the caller's: the sentence alone. Anything else is a fault and is shown whole.
  if (!(error instanceof ContextError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
