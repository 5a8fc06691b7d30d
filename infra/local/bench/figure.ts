/** One figure of the bench beside its bound. */

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly bound: number;
  /** `not valid`: the machine was too busy for the figure to mean anything. */
  readonly ok: boolean | 'not valid';
}

/** A run of the bench: the figures it gives, each with its name; several come from one run. */
export interface Area {
  readonly names: readonly string[];
  /** `note` hears what stands behind the figures; it is for people. */
  readonly measure: (note: (line: string) => void) => Promise<readonly Figure[]>;
}

export function atMost(name: string, value: number, bound: number): Figure {
  return { name, value: round(value), bound, ok: value <= bound };
}

export function atLeast(name: string, value: number, bound: number): Figure {
  return { name, value: round(value), bound, ok: value >= bound };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** The figure as a line for people. */
export function describeFigure({ name, value, bound, ok }: Figure): string {
  const verdict = ok === 'not valid' ? 'not valid' : ok ? 'ok' : 'MISSED';
  return `${name.padEnd(28)} ${String(value).padStart(8)}   bound ${String(bound).padStart(6)}   ${verdict}`;
}
