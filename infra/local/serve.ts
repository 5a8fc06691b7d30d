/**
 * `npm run serve`: keeps the stack up on this machine until it is interrupted, and prints four curl lines that work as
 * they are printed.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ExecutorName } from '../../schema/environment.ts';
import { runCommand } from './command.ts';
import type { FaultOptions } from './runtime/fault-options.ts';
import { describeCalls } from './serve-calls.ts';
import { Shutdown, waitForTheEnd } from './shutdown.ts';
import { checkDataFolder } from './start.ts';
import { OPTIONS, parseArguments, UsageError } from './usage.ts';

interface ServeOptions {
  readonly data?: string;
  readonly port: number;
  readonly executor: ExecutorName;
  readonly passes: number;
  readonly scope: string;
  readonly faults?: FaultOptions;
}

/** Runs `npm run serve` with these arguments; ends by a signal only, or when it cannot start. */
export async function main(args: readonly string[]): Promise<number> {
  const shutdown = new Shutdown().listen();
  return await runCommand(shutdown, async () => {
    const options = parseServe(args);
    const say = (line: string): void => void (shutdown.isInterrupted || process.stdout.write(`${line}\n`));
    say('Nightjar runs whole on this machine: nothing leaves it.');
    await serve(options, shutdown, say);
    return await waitForTheEnd();
  });
}

/** Reads and checks the options; nothing is written. Throws a UsageError. */
export function parseServe(args: readonly string[]): ServeOptions {
  const command = parseArguments(args, 'npm run serve --', (described) =>
    described
      .description('Keeps Nightjar up on this machine, with the HTTP API of a deployment.')
      .addOption(OPTIONS.data())
      .addOption(OPTIONS.port())
      .addOption(OPTIONS.executor())
      .addOption(OPTIONS.passes())
      .addOption(OPTIONS.scope())
      .addOption(OPTIONS.faults()),
  );
  const options = command.opts<ServeOptions>();
  checkDataFolder(options.data);
  return options;
}

async function serve(options: ServeOptions, shutdown: Shutdown, say: (line: string) => void): Promise<void> {
  const { data, port, executor, passes, scope, faults } = options;
  // Before anything is written: most often it is another `npm run serve`.
  await probePort(port);
  const { openStack } = await import('./local-stack.ts');
  const settings = { maxPassesPerScope: passes, maxConcurrentPasses: Math.max(2, passes) };
  const stack = await openStack({ settings, executor, dataDir: data, port, faults }, shutdown, say).catch(
    (error: unknown) => {
      throw describeStartFailure(error, port);
    },
  );
  say(data === undefined ? 'The memory is gone when this ends; keep it with --data <folder>.' : `Kept in ${data}.`);
  if (faults !== undefined) say('Things go wrong here on purpose: --faults was given.');
  say(`Serving at ${stack.url}`);
  say('');
  for (const line of describeCalls(stack.url, scope, passes)) say(line);
  say('');
  say('Ctrl-C ends it.');
}

/** Throws a UsageError when nobody can listen there. */
async function probePort(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw describeStartFailure(error, port);
  }
  server.close();
  await once(server, 'close');
}

function describeStartFailure(error: unknown, port: number): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new UsageError(`--port ${port} is in use on this machine: choose another, or 0 for any free one.`);
    case 'EACCES':
      return new UsageError(`--port ${port} may not be used by this account: choose one above 1023, or 0.`);
    default:
      return error;
  }
}
