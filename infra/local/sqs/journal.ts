/**
 * An append-only file of JSON lines, so that what was promised survives a killed process.
 *
 * A line is written with one system call and never synced to the disk: a killed process loses nothing, a power cut may.
 * A torn last line (the process died while writing it) is cut off when the file is opened; a broken line anywhere else
 * is an error, because what stands behind it would be read against the wrong state.
 */
import fs from 'node:fs';
import path from 'node:path';

export interface Journal {
  /** Lines in the file now; its owner decides by it when a rewrite pays. */
  readonly lineCount: () => number;
  /** Appends one entry. */
  readonly append: (entry: unknown) => void;
  /** Replaces the whole file by these entries, atomically (a new file, then a rename). */
  readonly rewrite: (entries: Iterable<unknown>) => void;
  readonly close: () => void;
}

/** A rewrite is considered only above this many lines: smaller files cost nothing to read again. */
const REWRITE_LINES_MIN = 1000;
/** A rewrite pays when fewer than one line in this many still matters. */
const REWRITE_LINES_PER_LIVE = 4;

/** Opens the file (creating it and its folder), hands every entry to `replay` in order, and returns the open journal. */
export function openJournal(filePath: string, replay: (entry: unknown) => void): Journal {
  fs.mkdirSync(path.dirname(filePath), { recursive: true });
  let lines = replayFile(filePath, replay);
  let file = fs.openSync(filePath, 'a');
  let isOpen = true;
  return {
    lineCount: () => lines,
    append(entry) {
      if (!isOpen) throw new Error(`The journal ${filePath} is closed; nothing can be written to it any more.`);
      fs.writeSync(file, `${JSON.stringify(entry)}\n`);
      lines += 1;
    },
    rewrite(entries) {
      if (!isOpen) return;
      const kept = [...entries];
      const freshPath = `${filePath}.new`;
      fs.writeFileSync(freshPath, kept.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      fs.closeSync(file);
      fs.renameSync(freshPath, filePath);
      file = fs.openSync(filePath, 'a');
      lines = kept.length;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      fs.closeSync(file);
    },
  };
}

/** Whether so few of the journal's lines still matter that rewriting it pays. */
export function shouldRewrite(journal: Journal, liveCount: number): boolean {
  return journal.lineCount() > REWRITE_LINES_MIN && journal.lineCount() > REWRITE_LINES_PER_LIVE * liveCount;
}

function replayFile(filePath: string, replay: (entry: unknown) => void): number {
  if (!fs.existsSync(filePath)) return 0;
  const bytes = fs.readFileSync(filePath);
  const wholeBytes = bytes.lastIndexOf(10) + 1;
  if (wholeBytes < bytes.length) fs.truncateSync(filePath, wholeBytes);
  const text = bytes.toString('utf8', 0, wholeBytes);
  let lines = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    lines += 1;
    replay(parseLine(filePath, lines, line));
  }
  return lines;
}

function parseLine(filePath: string, lineNumber: number, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(
      `Line ${lineNumber} of ${filePath} is not JSON. The file was changed by something else; move it away to start empty.`,
    );
  }
}
