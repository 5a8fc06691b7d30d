/** Random numbers from a seed. Every purpose draws from a stream of its own, so that one fault more leaves the others' draws as they were. */

const UINT32 = 4_294_967_296;

/** A stream of numbers in [0, 1) (mulberry32): the same for the same seed and purpose. */
export function openRandom(seed: number, purpose: string): () => number {
  let state = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b9);
  for (let at = 0; at < purpose.length; at += 1) state = Math.imul(state ^ purpose.charCodeAt(at), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / UINT32;
  };
}
