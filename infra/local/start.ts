/**
 * `npm start`: takes a folder in, drains it by several passes at once, and shows what is remembered. It goes the way any
 * user of a deployment goes, over HTTP; only the figures come from watching the requests and reading the table.
 */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ClaimBody } from '../../functions/reader/claim-body.ts';
import type { ExecutorName, FunctionName } from '../../schema/environment.ts';
import { EXIT_FAILED, runCommand } from './command.ts';
import type { DrainEnd } from './drain.ts';
import { type RunFigures, count, gatherFigures, isInOrder, summarize } from './figures.ts';
import type { LocalStack } from './local-stack.ts';
import { Shutdown } from './shutdown.ts';
import { type FolderListing, type LeftOut, listFolder } from './source-folder.ts';
import type { Ingested } from './taking-in.ts';
import { ROOT } from './template-cache.ts';
import { OPTIONS, parseArguments, UsageError } from './usage.ts';

interface StartOptions {
  readonly from: string;
  readonly scope: string;
  readonly passes: number;
  readonly executor: ExecutorName;
  readonly delayMs: number;
  readonly data?: string;
  readonly strict: boolean;
  readonly json: boolean;
}

/** Each line tells of one file; more than this says nothing new. */
const FILES_SHOWN_MAX = 20;

/** Runs `npm start` with these arguments; resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const shutdown = new Shutdown().listen();
  return await runCommand(shutdown, async () => {
    const options = parseStart(args);
    const listing = listFolder(options.from);
    const say = (line: string): void => {
      if (!shutdown.isInterrupted) (options.json ? process.stderr : process.stdout).write(`${line}\n`);
    };
    say('Nightjar runs whole on this machine: nothing leaves it.');
    return await run(options, listing, shutdown, say);
  });
}

/** Reads and checks the options; nothing is written. Throws a UsageError. */
export function parseStart(args: readonly string[]): StartOptions {
  const command = parseArguments(args, 'npm start --', (described) =>
    described
      .description('Takes a folder of transcripts and documents in, drains it, and shows what is remembered.')
      .addOption(OPTIONS.from())
      .addOption(OPTIONS.scope())
      .addOption(OPTIONS.passes())
      .addOption(OPTIONS.executor())
      .addOption(OPTIONS.delayMs())
      .addOption(OPTIONS.data())
      .addOption(OPTIONS.strict())
      .addOption(OPTIONS.json()),
  );
  const options = { from: path.join(ROOT, 'samples'), ...command.opts<Omit<StartOptions, 'from'>>() };
  checkDataFolder(options.data, options.from);
  return options;
}

/** Throws a UsageError for a data folder that is none, or whose files would be taken for sources. */
export function checkDataFolder(data: string | undefined, from?: string): void {
  if (data === undefined) return;
  if (existsSync(data) && !statSync(data).isDirectory()) {
    throw new UsageError(`--data ${data} is not a folder: name a folder, which may be new.`);
  }
  if (from === undefined) return;
  const inside = path.relative(from, data);
  const isInside = inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
  // A folder whose name begins with a dot is passed over.
  if (isInside && !inside.split(path.sep).some((part) => part.startsWith('.'))) {
    throw new UsageError(`--data ${data} lies in --from ${from} and would be read as a source: name a folder outside.`);
  }
}

type Say = (line: string) => void;

async function run(options: StartOptions, listing: FolderListing, shutdown: Shutdown, say: Say): Promise<number> {
  const { scope, passes, data, json } = options;
  const [{ openStack }, { ingestFiles }, { drainScope }, { ScopeClient }] = await Promise.all([
    import('./local-stack.ts'),
    import('./taking-in.ts'),
    import('./drain.ts'),
    import('./scope-client.ts'),
  ]);
  const settings = { maxPassesPerScope: passes, maxConcurrentPasses: passes };
  const stub = { delayMs: options.delayMs };
  const stack = await openStack({ settings, executor: options.executor, stub, dataDir: data }, shutdown, say);
  const client = new ScopeClient(stack.url, scope);
  say(`Taking in ${count(listing.files.length, 'file', 'files')} from ${options.from}, scope ${scope}.`);
  tellFiles(listing.passedOver, (files) => `${files} passed over:`, say);
  const ingested = await ingestFiles(client, listing.files, { strict: options.strict, say });
  const leftOut = [...listing.leftOut, ...ingested.leftOut];
  tellIngested(ingested, leftOut, say);
  if (ingested.changed > 0) await warmDrain(stack, passes);
  say(`Draining with ${count(passes, 'pass', 'passes')} at once; the ${options.executor} executor reads.`);
  const owed = ingested.sources.size - stack.count(scope, ingested.sources).settled;
  const startedAtMs = performance.now();
  const end = await drainScope({ client, observer: stack.observer, passes, owed, say });
  const wallMs = performance.now() - startedAtMs;
  const claims = await client.claims();
  const figures = gatherFigures({
    sources: ingested.sources.size,
    observed: stack.observer.figures,
    store: stack.count(scope, ingested.sources),
    claims,
    requests: stack.requests(),
    wallMs,
  });
  for (const line of ['', ...summarize(figures)]) say(line);
  tellTrouble(end, figures, stack, say);
  if (json && !shutdown.isInterrupted) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else await tellMemory(claims, options, say);
  const texts = leftOut.filter(({ isText }) => isText);
  const isWhole = texts.length === 0;
  if (!isWhole)
    say(
      `${count(texts.length, 'text', 'texts')} could not be taken in, as told above: this ends with exit code ${EXIT_FAILED}.`,
    );
  return end.kind === 'drained' && isWhole && isInOrder(figures) ? 0 : EXIT_FAILED;
}

/** One of each that a drain calls, at once: one after the other they would be loaded in the midst of it. */
const CALLED_BY_DRAIN = ['reader', 'trigger', 'scheduler', 'finalizer'] as const satisfies FunctionName[];

/** Loading a worker's code takes longer than a small drain: all stand ready, so that all passes start together. */
async function warmDrain({ runtime }: LocalStack, passes: number): Promise<void> {
  const workers = runtime.warm('worker' satisfies FunctionName, passes);
  await Promise.all([workers, ...CALLED_BY_DRAIN.map((name) => runtime.warm(name, 1))]);
}

function tellIngested(ingested: Ingested, leftOut: readonly LeftOut[], say: Say): void {
  const { sources, changed } = ingested;
  const old = sources.size - changed;
  say(`  ${count(changed, 'source', 'sources')} to read${old > 0 ? `, ${old} known already` : ''}.`);
  tellFiles(leftOut, (files) => `${files} left out:`, say);
  const remarks = ingested.remarks.map(({ id, text }) => ({ id, reason: text }));
  tellFiles(remarks, (files) => `${files} taken in, but:`, say);
}

/** What became of files, one line each. */
function tellFiles(
  told: readonly Pick<LeftOut, 'id' | 'reason'>[],
  heading: (files: string) => string,
  say: Say,
): void {
  if (told.length === 0) return;
  say(`  ${heading(count(new Set(told.map(({ id }) => id)).size, 'file', 'files'))}`);
  for (const { id, reason } of told.slice(0, FILES_SHOWN_MAX)) say(`    ${id}: ${reason}`);
  if (told.length > FILES_SHOWN_MAX) say(`    … and ${told.length - FILES_SHOWN_MAX} more.`);
}

/** What a person needs who has to find out why it did not end well. */
function tellTrouble(end: DrainEnd, figures: RunFigures, stack: LocalStack, say: Say): void {
  if (end.kind === 'stuck') say(`It does not get on: ${end.reason}.`);
  if (end.kind === 'drained' && isInOrder(figures)) return;
  say('The last lines the functions wrote:');
  for (const line of stack.logTail) say(`  ${line}`);
}

async function tellMemory(
  claims: readonly ClaimBody[],
  { executor, data, scope }: StartOptions,
  say: Say,
): Promise<void> {
  const { extractMemory, KNOWN_WELL } = await import('./memory-extract.ts');
  const extract = extractMemory(claims, executor === 'rules' ? KNOWN_WELL : undefined);
  const none = executor === 'stub' ? 'the stub finds only lines that begin with @claim' : 'the rules found nothing';
  for (const line of ['', ...(extract.length > 0 ? extract : [`Nothing is remembered: ${none}.`])]) say(line);
  const kept = data ?? '<folder>';
  const from = scope === 'demo' ? '' : ` --scope ${scope}`;
  for (const line of [
    '',
    'What next:',
    `  your own folder   npm start -- --from <folder>${from}`,
    ...(data === undefined ? [`  keep the memory   npm start -- --data ${kept}${from}`] : []),
    `  serve it          npm run serve -- --data ${kept}`,
  ]) {
    say(line);
  }
}
