/**
 * The asynchronous events that were accepted and are not done, kept on disk when there is a data folder: an answer 202 is
 * a promise that outlives the process.
 */
import { openJournal, shouldRewrite } from '../sqs/journal.ts';

export interface AsyncEvent {
  readonly requestId: string;
  readonly functionName: string;
  readonly qualifier: string | undefined;
  /** JSON text. */
  readonly payload: string;
  readonly acceptedAtMs: number;
  /** How often it was started. */
  readonly invokeCount: number;
}

type Entry = readonly ['accepted', AsyncEvent] | readonly ['started', string] | readonly ['done', string];

export interface EventLog {
  /** What an earlier process left: accepted and not done. */
  readonly leftovers: readonly AsyncEvent[];
  readonly accepted: (event: AsyncEvent) => void;
  readonly started: (event: AsyncEvent) => void;
  readonly done: (event: AsyncEvent) => void;
  readonly close: () => void;
}

/** Opens the log; without a path nothing is kept. */
export function openEventLog(logPath: string | undefined): EventLog {
  if (logPath === undefined) return { leftovers: [], accepted() {}, started() {}, done() {}, close() {} };
  const live = new Map<string, AsyncEvent>();
  const journal = openJournal(logPath, (entry) => applyEntry(live, entry as Entry));
  const write = (entry: Entry) => {
    journal.append(entry);
    applyEntry(live, entry);
    if (shouldRewrite(journal, live.size)) journal.rewrite([...live.values()].map((event) => ['accepted', event]));
  };
  return {
    leftovers: [...live.values()],
    accepted: (event) => write(['accepted', event]),
    started: (event) => write(['started', event.requestId]),
    done: (event) => write(['done', event.requestId]),
    close: journal.close,
  };
}

function applyEntry(live: Map<string, AsyncEvent>, entry: Entry): void {
  if (entry[0] === 'accepted') {
    live.set(entry[1].requestId, entry[1]);
  } else if (entry[0] === 'done') {
    live.delete(entry[1]);
  } else {
    const event = live.get(entry[1]);
    if (event !== undefined) live.set(event.requestId, { ...event, invokeCount: event.invokeCount + 1 });
  }
}
