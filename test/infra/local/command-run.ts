/** Runs the commands as a person does: a process of its own, with what it said and how it ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../../../infra/local/template-cache.ts';

export const LAUNCHER = path.join(ROOT, 'infra/local/launch.mjs');

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly end: Promise<CommandEnd>;
  /** Resolves when either stream has said something that matches; rejects when the command ends before. */
  readonly says: (pattern: RegExp) => Promise<RegExpExecArray>;
}

export interface CommandOptions {
  readonly cwd?: string;
  /** Default: the Node that runs the tests. */
  readonly node?: string;
  readonly nodeOptions?: readonly string[];
  readonly launcher?: string;
}

/** Starts `launch.mjs` with these arguments. */
export function startCommand(args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const { cwd = ROOT, node = process.execPath, nodeOptions = [], launcher = LAUNCHER } = options;
  const env = { ...process.env, INIT_CWD: cwd };
  const child = spawn(node, [...nodeOptions, launcher, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
      for (const listener of listeners) listener();
    });
  }
  const end = new Promise<CommandEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...said }));
  });
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(said.stdout) ?? pattern.exec(said.stderr);
        if (match === null) return;
        listeners.delete(look);
        resolve(match);
      };
      listeners.add(look);
      look();
      void end.then((ended) => reject(new Error(`It ended before it said ${pattern}: ${JSON.stringify(ended)}`)));
    });
  return { child, end, says };
}

/** Runs it to its end. */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<CommandEnd> {
  return startCommand(args, options).end;
}

/** An empty folder, with the function that removes it. */
export function makeFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'nightjar-test-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Writes small documents into a folder, each with one claim line for the stub. */
export function writeNotes(folder: string, count: number): void {
  for (let index = 0; index < count; index++) {
    const line = `@claim Maya | number_${index} | ${index}`;
    writeFileSync(path.join(folder, `note-${index}.txt`), `Note ${index}.\n${line}\n`);
  }
}
