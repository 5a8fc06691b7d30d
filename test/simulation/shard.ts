/** A thread of the campaign: runs its share and posts what it came to, and at the end which branches it went through. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Share } from './campaign.ts';
import { countBranches } from './branches.ts';

const PROGRESS_EVERY = 100;

const { branches, ...share } = workerData as Share & { readonly branches: boolean };
// Counting begins before what is counted is loaded.
const readBranches = branches ? await countBranches() : undefined;
const { runShare } = await import('./campaign.ts');
await runShare(share, PROGRESS_EVERY, (tally) => parentPort?.postMessage({ tally }));
if (readBranches) parentPort?.postMessage({ branches: await readBranches() });
