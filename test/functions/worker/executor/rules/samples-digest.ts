/** Prints a digest of all claims of all samples: run as a process of its own under another zone and locale. */
import { createHash } from 'node:crypto';
import { loadRules } from '../../../../../functions/worker/executor/rules/extract.ts';
import { readRenderedSamples } from './rendered-samples.ts';

const { extractClaims } = await loadRules();
const claims = readRenderedSamples().map(({ path, text }) => [path, extractClaims({ text, baseOffset: 0 })]);
process.stdout.write(createHash('sha256').update(JSON.stringify(claims)).digest('hex'));
