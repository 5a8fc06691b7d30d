/**
 * Ends a command in good order: what was opened is closed in reverse, at the end or when the person interrupts.
 *
 * After a signal the process is gone within two seconds, whatever it was doing: the store's files are only ever
 * appended, so they are whole at any moment, and the next run takes up what this one left.
 */

/** Two seconds are promised; what is not closed by then is left to the end of the process. */
const CLOSE_WITHIN_MS = 1_700;
/** 128 + SIGINT, as shells count; a SIGTERM ends alike. */
export const EXIT_INTERRUPTED = 130;

type Close = () => Promise<unknown> | void;

export class Shutdown {
  readonly #closers: Close[] = [];
  #closing: Promise<void> | undefined;
  #isInterrupted = false;

  /** Whether a signal came: nothing more is to be said or done. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** Exits with 130 on SIGINT and SIGTERM, at once on the second, and when nobody reads the output any more. */
  listen(): this {
    const interrupt = (): void => void this.#interrupt();
    process.on('SIGINT', interrupt);
    process.on('SIGTERM', interrupt);
    // `npm start | head -1`: the reader is gone, and the next line would throw.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', interrupt);
    return this;
  }

  /** Remembers how to close something. When all is closing already, closes it now. */
  register(close: Close): void {
    if (this.#closing === undefined) this.#closers.push(close);
    else void closeQuietly(close);
  }

  /** Closes everything, the latest opened first. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const close of this.#closers.toReversed()) await closeQuietly(close);
  }

  async #interrupt(): Promise<never> {
    if (this.#isInterrupted) process.exit(EXIT_INTERRUPTED);
    this.#isInterrupted = true;
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS));
    await Promise.race([this.close(), late]);
    process.exit(EXIT_INTERRUPTED);
  }
}

/** One part that cannot be closed must not keep the others open. */
async function closeQuietly(close: Close): Promise<void> {
  try {
    await close();
  } catch (error) {
    process.emitWarning(`Closing: ${String(error)}`);
  }
}

/** Never resolves: for whoever finds out that a signal is ending the process. */
export function waitForTheEnd(): Promise<never> {
  return new Promise(() => {});
}
