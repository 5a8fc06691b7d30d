/** The file of `npm run serve -- --faults`: what goes wrong, as JSON; see `runtime/fault-options.ts`. */
import { readFileSync } from 'node:fs';
import { type FaultOptions, faultOptionsSchema } from './runtime/fault-options.ts';

/** Reads and checks it. Throws an Error whose message says what is wrong with it, made to follow a colon. */
export function readFaultFile(file: string): FaultOptions {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error('the file is not JSON', { cause: error });
    throw new Error('there is no such file to read', { cause: error });
  }
  const parsed = faultOptionsSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join('.') || 'the whole'}: ${issue?.message}`);
}
