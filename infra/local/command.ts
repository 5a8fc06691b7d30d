/** What the commands have in common: how they end, and what they say when they were called wrongly or failed. */
import { EXIT_INTERRUPTED, type Shutdown, waitForTheEnd } from './shutdown.ts';
import { HelpRequest, UsageError } from './usage.ts';

export const EXIT_FAILED = 1;
export const EXIT_MISUSED = 2;

/** Runs a command to its exit code: 2 with one sentence for a wrong call, 1 for a failure, 130 after a signal. */
export async function runCommand(shutdown: Shutdown, run: () => Promise<number>): Promise<number> {
  let code: number;
  try {
    code = await run();
  } catch (error) {
    // What a signal pulled away fails on its way out; the signal has the last word.
    if (shutdown.isInterrupted) return await waitForTheEnd();
    code = report(error);
  }
  await shutdown.close();
  return shutdown.isInterrupted ? EXIT_INTERRUPTED : code;
}

function report(error: unknown): number {
  if (error instanceof HelpRequest) {
    process.stdout.write(error.message);
    return 0;
  }
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`);
    return EXIT_MISUSED;
  }
  process.stderr.write(`Nightjar failed: ${error instanceof Error ? error.message : String(error)}\n`);
  return EXIT_FAILED;
}
