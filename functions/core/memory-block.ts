/**
 * Our own words in what comes back to us: what a pass wrote is never evidence (design rule 11), or memory would cite
 * itself and grow surer with every session that quotes it.
 */
import { type NormalizedText, trimTrailingNewlines } from './normalize.ts';

// A tag counts only alone on its line, as we write it: prose that mentions one loses nothing.
const OPENING = /^\s*<nightjar-memory(?:\s[^<>]*)?>\s*$/;
const CLOSING = /^\s*<\/nightjar-memory>\s*$/;
const OWN_AUTHOR = /^\s*nightjar:/i;

/** Whether an author or speaker is this system itself. */
export function isOwnAuthor(name: string): boolean {
  return OWN_AUTHOR.test(name);
}

/**
 * Cuts the lines between `<nightjar-memory>` and `</nightjar-memory>`, tags included. A block within a block ends with
 * the outer one; a block that is never closed (a tool's output cut short) reaches to the end. Changes: `memory-blocks`
 * with their number, `memory-block-unclosed`. Expects a normalised text and returns one.
 */
export function cutMemoryBlocks(text: string): NormalizedText {
  if (!text.includes('<nightjar-memory')) return { text, changes: [] };
  const kept: string[] = [];
  let depth = 0;
  let blocks = 0;
  for (const line of text.split('\n')) {
    if (OPENING.test(line)) {
      if (depth === 0) blocks++;
      depth++;
    } else if (depth > 0 && CLOSING.test(line)) depth--;
    else if (depth === 0) kept.push(line);
  }
  if (blocks === 0) return { text, changes: [] };
  const changes = [{ name: 'memory-blocks', count: blocks }];
  return {
    text: trimTrailingNewlines(kept.join('\n')),
    changes: depth > 0 ? [...changes, { name: 'memory-block-unclosed' }] : changes,
  };
}
