/** A thread of the campaign: runs its share and posts what it came to. */
import { parentPort, workerData } from 'node:worker_threads';
import { runShare, type Share } from './campaign.ts';

const PROGRESS_EVERY = 100;

await runShare(workerData as Share, PROGRESS_EVERY, (since) => parentPort?.postMessage(since));
