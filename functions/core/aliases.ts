/**
 * Which entities are one: the groups that alias rows join, whatever order they were written in. Two rows that say the
 * same the other way round, or in a circle, join no less.
 */
import type { AliasItem } from '../../schema/entity.ts';
import { keyPart } from '../../schema/ids.ts';

export interface EntityGroup {
  /** The slug that stands for all: the one nobody merged into another, the least where there are several or none. */
  readonly root: string;
  /** What the root is called, where a merge says so. */
  readonly name: string | undefined;
  /** All slugs, in the order of their keys. */
  readonly slugs: readonly string[];
}

export interface Aliases {
  /** The group of an entity; of itself alone when nobody merged it. */
  groupOf(slug: string): EntityGroup;
}

const before = (a: string, b: string): number => {
  const [left, right] = [`${keyPart(a)}#`, `${keyPart(b)}#`];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** The merges that stand, as of what was known at a time. */
function standing(rows: readonly AliasItem[], knownAtMs: number): AliasItem[] {
  return rows.filter(
    ({ recordedAtMs, endedAtMs }) => recordedAtMs <= knownAtMs && (endedAtMs === undefined || endedAtMs > knownAtMs),
  );
}

function makeGroup(slugs: readonly string[], edges: readonly AliasItem[]): EntityGroup {
  const ordered = slugs.toSorted(before);
  const merged = new Set(edges.map(({ from }) => from));
  const root = ordered.find((slug) => !merged.has(slug)) ?? (ordered[0] as string);
  const names = edges.filter(({ into }) => into === root).map(({ intoName }) => intoName);
  return { root, name: names.toSorted()[0], slugs: ordered };
}

/** Joins alias rows into groups. */
export function joinAliases(rows: readonly AliasItem[], knownAtMs: number = Number.POSITIVE_INFINITY): Aliases {
  const edges = standing(rows, knownAtMs);
  const members = new Map<string, Set<string>>();
  for (const { from, into } of edges) {
    const [a, b] = [members.get(from) ?? new Set([from]), members.get(into) ?? new Set([into])];
    const [large, small] = a.size >= b.size ? [a, b] : [b, a];
    for (const slug of small) large.add(slug);
    for (const slug of large) members.set(slug, large);
  }
  return {
    groupOf(slug) {
      const slugs = members.get(slug);
      if (!slugs) return { root: slug, name: undefined, slugs: [slug] };
      return makeGroup(
        [...slugs],
        edges.filter(({ from }) => slugs.has(from)),
      );
    },
  };
}
