/**
 * Seeded randomness. Every purpose draws from a stream of its own, so that switching one fault off (when a failure is
 * shrunk) leaves all other draws as they were.
 */

/** FNV-1a over UTF-16 units: small, fast, and good enough to tell names and traces apart. */
export function hashText(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** One stream (mulberry32). Two with the same seed draw the same. */
export class Random {
  #state: number;

  constructor(seed: number, purpose: string) {
    this.#state = hashText(purpose, (seed ^ 0x9e3779b9) >>> 0);
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  /** A whole number, both ends included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }
  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }
  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)] as T;
  }
}
