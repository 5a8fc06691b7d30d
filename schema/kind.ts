/**
 * Kinds of pass, as rows of one table (design section 6). Kinds that are not built are not listed as usable.
 */
export interface PassKind {
  readonly name: string;
  /** Whether passes of other kinds, and further ones of this kind, may run in the scope beside it. */
  readonly shares: boolean;
  /** Passes of this kind in one scope at once. */
  readonly parallelMax: number;
  /** Whose queue it reads. */
  readonly lane: Lane;
  /** It reads as a pass does, and takes down what it would write: it leases, settles and writes nothing. */
  readonly dryRun?: true;
}

/** Which kind of work evidence waits for. */
export const LANES = ['incremental'] as const;
export type Lane = (typeof LANES)[number];

export const KINDS: readonly PassKind[] = [
  { name: 'incremental', shares: true, parallelMax: 16, lane: 'incremental' },
  { name: 'dry-run', shares: true, parallelMax: 1, lane: 'incremental', dryRun: true },
];

export function findKind(name: string, kinds: readonly PassKind[] = KINDS): PassKind | undefined {
  return kinds.find((kind) => kind.name === name);
}

/** Whether a pass of this kind only tells what it would do. */
export function isDryRun(name: string, kinds: readonly PassKind[] = KINDS): boolean {
  return findKind(name, kinds)?.dryRun === true;
}
