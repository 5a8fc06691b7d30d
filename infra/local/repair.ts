/**
 * `npm run repair -- --scope NAME [--url URL | --data DIR]`: rebuilds every head of a scope from its citations, page by
 * page, through the same route that any user of a deployment has. In a healthy scope it finds nothing to change.
 */
import { existsSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import type { RepairAnswer } from '../../functions/curator/repair.ts';
import type { ApiError } from '../../schema/api.ts';
import { runCommand } from './command.ts';
import { Shutdown } from './shutdown.ts';
import { checkDataFolder } from './start.ts';
import { OPTIONS, parseArguments, UsageError } from './usage.ts';

interface RepairOptions {
  readonly scope: string;
  readonly url?: string;
  readonly data?: string;
}

/** Runs `npm run repair` with these arguments; resolves to 0 also when something had to be mended. */
export async function main(args: readonly string[]): Promise<number> {
  const shutdown = new Shutdown().listen();
  return await runCommand(shutdown, async () => {
    const options = parseRepair(args);
    const url = options.url ?? (await openUrl(options, shutdown));
    const { slots, headsChanged } = await repairScope(url, options.scope);
    const found = headsChanged === 0 ? 'nothing to change' : `${headsChanged} heads set right`;
    process.stdout.write(`${options.scope}: ${slots} claim slots looked at, ${found}.\n`);
    return 0;
  });
}

function readUrl(text: string): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isHttp) throw new InvalidArgumentError('it takes the address of an API, such as http://127.0.0.1:8787');
  return text.replace(/\/+$/, '');
}

/** Reads and checks the options. Throws a UsageError. */
export function parseRepair(args: readonly string[]): RepairOptions {
  const command = parseArguments(args, 'npm run repair --', (described) =>
    described
      .description('Rebuilds the heads of a scope from its citations.')
      .addOption(OPTIONS.scope())
      .addOption(OPTIONS.data())
      .addOption(
        new Option('--url <URL>', 'the API of a stack that is up, such as http://127.0.0.1:8787').argParser(readUrl),
      ),
  );
  const options = command.opts<RepairOptions>();
  if ((options.url === undefined) === (options.data === undefined)) {
    throw new UsageError('Say which memory: --url for a stack that is up, or --data for a folder that none has open.');
  }
  if (options.data !== undefined && !existsSync(options.data)) {
    throw new UsageError(`--data ${options.data} does not exist: name the folder that keeps the memory.`);
  }
  checkDataFolder(options.data);
  return options;
}

async function openUrl({ data }: RepairOptions, shutdown: Shutdown): Promise<string> {
  const { openStack } = await import('./local-stack.ts');
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const stack = await openStack({ settings: {}, executor: 'rules', dataDir: data }, shutdown, say);
  return stack.url;
}

/** All pages of it. Throws with the API's own words when it refuses. */
export async function repairScope(url: string, scope: string): Promise<Omit<RepairAnswer, 'scope' | 'cursor'>> {
  let slots = 0;
  let headsChanged = 0;
  let cursor: string | undefined;
  do {
    const response = await askRepair(url, scope, cursor);
    const answer = (await response.json()) as RepairAnswer & Partial<ApiError>;
    if (!response.ok) throw new Error(answer.error?.message ?? `the repair was answered ${response.status}`);
    slots += answer.slots;
    headsChanged += answer.headsChanged;
    cursor = answer.cursor;
  } while (cursor !== undefined);
  return { slots, headsChanged };
}

/** Throws an Error that names the address when nobody answers there. */
async function askRepair(url: string, scope: string, cursor: string | undefined): Promise<Response> {
  try {
    return await fetch(`${url}/v1/scopes/${scope}/claims/repair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(cursor === undefined ? {} : { cursor }),
    });
  } catch (error) {
    // What fetch throws says only that it failed; why stands in its cause.
    const { cause } = error as Error & { cause?: Error };
    const why = cause?.message ?? (error as Error).message;
    throw new Error(`nobody answers at ${url}: ${why}. Is the stack up? npm run serve starts one.`, { cause: error });
  }
}
