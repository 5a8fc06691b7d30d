/**
 * TypeScript sources as the tidy rules read them: comments, strings and regular expressions blanked out, so that a word
 * in a sentence is not taken for code. A scanner, no parser: formatted code is all it has to read.
 */

export interface Import {
  /** As written. */
  readonly specifier: string;
  /** Nothing of it is left when types are stripped. */
  readonly isType: boolean;
}

export interface SourceFile {
  /** From the root of the project, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The text without comments and without what stands in strings, every other character in its place. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const AFTER_OPERATOR = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|await|yield|default))\s*$/;

/** Where the literal or comment that begins at `at` ends, and whether it is a comment; undefined: code begins there. */
function skipLiteral(text: string, at: number): { end: number; isComment: boolean } | undefined {
  const rest = text.slice(at);
  const comment = /^(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/.exec(rest);
  if (comment) return { end: at + comment[0].length, isComment: true };
  const quoted = /^(?:'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*")/.exec(rest);
  if (quoted) return { end: at + quoted[0].length, isComment: false };
  const pattern = /^\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/.exec(rest);
  if (pattern && AFTER_OPERATOR.test(text.slice(Math.max(0, at - 40), at))) {
    return { end: at + pattern[0].length, isComment: false };
  }
  return undefined;
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Blanks comments, and with `strings` what stands in strings as well. */
export function maskSource(text: string, strings: boolean): string {
  let masked = '';
  // One entry a template literal we are in: the depth of braces of its current `${…}`, or -1 in its text.
  const templates: number[] = [];
  for (let at = 0; at < text.length; ) {
    const depth = templates.at(-1);
    const character = text[at] as string;
    if (depth === -1) {
      const piece = /^(?:\\[\s\S]|[^`\\$]|\$(?!\{))+/.exec(text.slice(at))?.[0];
      if (piece) {
        masked += strings ? blank(piece) : piece;
        at += piece.length;
      } else if (character === '`') {
        templates.pop();
        masked += character;
        at++;
      } else {
        templates[templates.length - 1] = 0;
        masked += '${';
        at += 2;
      }
      continue;
    }
    const literal = character === '/' || character === "'" || character === '"' ? skipLiteral(text, at) : undefined;
    if (literal) {
      const piece = text.slice(at, literal.end);
      masked += literal.isComment || strings ? blank(piece) : piece;
      at = literal.end;
      continue;
    }
    if (character === '`') templates.push(-1);
    if (depth !== undefined && character === '{') templates[templates.length - 1] = depth + 1;
    if (depth !== undefined && character === '}') templates[templates.length - 1] = depth - 1;
    masked += character;
    at++;
  }
  return masked;
}

const STATEMENT = /^(?:import|export)\b([^;'"]*?)\bfrom\s*(['"])([^'"\n]+)\2/gm;
const BARE = /^import\s*(['"])([^'"\n]+)\1/gm;
const DYNAMIC = /\bimport\(\s*(['"])([^'"\n]+)\1/g;

function readImports(text: string): Import[] {
  const named = [...text.matchAll(STATEMENT)].map(([, clause = '', , specifier = '']): Import => {
    const members = /^\s*\{([^}]*)\}\s*$/
      .exec(clause)?.[1]
      ?.split(',')
      .filter((member) => member.trim() !== '');
    const isType = /^\s*type\b/.test(clause) || (members?.every((member) => /^\s*type\b/.test(member)) ?? false);
    return { specifier, isType };
  });
  const others = [...text.matchAll(BARE), ...text.matchAll(DYNAMIC)];
  return [...named, ...others.map(([, , specifier = '']): Import => ({ specifier, isType: false }))];
}

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, code: maskSource(text, true), imports: readImports(maskSource(text, false)) };
}

/** Line, from 1, of a position. */
export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
