/**
 * What the embedded engines are held against: probes of the services' behaviour and faults seen in other engines, each
 * either shown by a test or refused by name because it lies outside the subset.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Shown by a test: the file below `test/`, and words of the test that stand there. */
export interface Shown {
  readonly asks: string;
  readonly file: string;
  readonly words: string;
}

/** Outside the subset: what is asked of the engine, and how its refusal begins. */
export interface Outside<Asked> {
  readonly asks: string;
  readonly ask: (asked: Asked) => unknown;
  readonly refused: string;
}

export type Held<Asked> = Shown | Outside<Asked>;

export function listShown<Asked>(list: readonly Held<Asked>[]): Shown[] {
  return list.filter((held) => 'file' in held);
}

export function listOutside<Asked>(list: readonly Held<Asked>[]): Outside<Asked>[] {
  return list.filter((held) => 'ask' in held);
}

const TESTS = path.resolve(import.meta.dirname, '../..');

/** Whether the test that is named stands where it is said to. */
export function isThere({ file, words }: Shown): boolean {
  return readFileSync(path.join(TESTS, file), 'utf8').includes(words);
}

export interface HeldCount {
  readonly all: number;
  readonly shown: number;
  readonly outside: number;
}

export function countHeld<Asked>(list: readonly Held<Asked>[]): HeldCount {
  return { all: list.length, shown: listShown(list).length, outside: listOutside(list).length };
}
