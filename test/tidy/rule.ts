/** The shape of a rule: what it looks at, what it finds, and what to do about it. */
import { lineOf, type SourceFile } from './source-file.ts';

export interface Rule {
  readonly name: string;
  /** What to do about a finding. */
  readonly remedy: string;
  /** A path and a text it must reject: a rule that rejects nothing is no rule. */
  readonly bad: readonly (readonly [path: string, text: string])[];
  /** A path and a text beside it that it must let through. */
  readonly good: readonly (readonly [path: string, text: string])[];
  /** Each finding begins with the line it stands in, where it has one. */
  readonly find: (file: SourceFile) => readonly string[];
}

/** A finding for each match of `pattern`, which must be global, in `text`. */
export function findAll(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => `${lineOf(text, match.index)}: ${match[0].trim()}`);
}

export const isSchema = ({ path }: SourceFile): boolean => path.startsWith('schema/');
export const isFunction = ({ path }: SourceFile): boolean => path.startsWith('functions/');
export const isIo = ({ path }: SourceFile): boolean => path.startsWith('functions/io/');
export const isCore = ({ path }: SourceFile): boolean => path.startsWith('functions/core/');
/** The stack, without the embedded runtime, which plays the cloud's part and may do what the cloud does. */
export const isStack = ({ path }: SourceFile): boolean => path.startsWith('infra/') && !path.startsWith('infra/local/');

/** A path of the project for a relative specifier; undefined for a package or a module of Node. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}
