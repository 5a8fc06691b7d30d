/** Values of every type, out of few, among them those at the edges: empty, 38 digits, beyond the basic plane. */

export interface Draw {
  readonly chance: (share: number) => boolean;
  readonly pick: <T>(choices: readonly T[]) => T;
  /** Both ends included. */
  readonly int: (min: number, max: number) => number;
}

export type Value = Readonly<Record<string, unknown>>;

const TEXTS = ['', 'a', 'ab', 'b', 'é', '😀', 'a b'];
const NUMBERS = ['0', '1', '-1', '1.5', '10', '2', '-0.25', '12345678901234567890123456789012345678', '1e3', '0.10'];
const BINARIES = ['', 'AA==', 'AQI=', '/w=='];
const TYPES = ['S', 'S', 'S', 'N', 'N', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'L', 'M'];

export function drawValue(draw: Draw, type = draw.pick(TYPES), depth = 0): Value {
  const some = (choices: readonly string[]) => [
    ...new Set(Array.from({ length: draw.int(1, 3) }, () => draw.pick(choices))),
  ];
  switch (type) {
    case 'S':
      return { S: draw.pick(TEXTS) };
    case 'N':
      return { N: draw.pick(NUMBERS) };
    case 'B':
      return { B: draw.pick(BINARIES) };
    case 'BOOL':
      return { BOOL: draw.chance(0.5) };
    case 'NULL':
      return { NULL: true };
    case 'SS':
      return { SS: some(['x', 'y', 'z']) };
    case 'NS':
      return { NS: some(['1', '2', '3.5']) };
    case 'L':
      return {
        L: depth > 1 ? [] : Array.from({ length: draw.int(0, 2) }, () => drawValue(draw, undefined, depth + 1)),
      };
    default:
      return { M: drawMap(draw, depth) };
  }
}

function drawMap(draw: Draw, depth: number): Record<string, Value> {
  const map: Record<string, Value> = {};
  if (depth > 1) return map;
  for (const name of ['x', 'y']) if (draw.chance(0.6)) map[name] = drawValue(draw, undefined, depth + 1);
  return map;
}

/** Attributes that put an item into indexes; now and then of a wrong type or empty, which both engines refuse. */
export function drawIndexKeys(draw: Draw): Record<string, Value> {
  return {
    ...(draw.chance(0.6) && { gp: draw.chance(0.02) ? { N: '1' } : { S: draw.pick(['g', 'h']) } }),
    ...(draw.chance(0.7) && { gs: { S: draw.chance(0.02) ? '' : draw.pick(['a', 'ab', 'b', 'c']) } }),
    ...(draw.chance(0.6) && { hp: { S: draw.pick(['g', 'h']) } }),
    ...(draw.chance(0.7) && {
      hn: draw.chance(0.02) ? { S: '1' } : { N: draw.pick(['-1', '0', '1', '1.5', '10', '2']) },
    }),
  };
}
