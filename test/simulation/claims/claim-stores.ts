/** Stores that a mutant of claims puts in a writer's way: one look answered wrongly, one write spared. */
import type { QueryPage, Store } from '../../../functions/io/ports.ts';
import type { Item, Outcome, Query, Write } from '../../../schema/request.ts';
import { SORT_KEY } from '../../../schema/table.ts';

export type WrapStore = (store: Store) => Store;

/** The sort key of what a write writes. */
export function sortKeyOf(write: Write): string {
  const key = write.kind === 'put' ? write.input.Item : write.input.Key;
  return String(key?.[SORT_KEY]);
}
/** What an update does; empty for other writes. */
export const textOf = (write: Write): string => (write.kind === 'update' ? (write.input.UpdateExpression ?? '') : '');

/** Whether a query reads rows whose sort key begins so. */
export function isQueryOf(read: Query, prefix: string): boolean {
  const values = Object.values(read.input.ExpressionAttributeValues ?? {});
  return values.some((value) => typeof value === 'string' && value.startsWith(prefix));
}

/** A store with some of its requests answered otherwise. */
export const over = (store: Store, other: Partial<Store>): Store => ({
  write: (write) => store.write(write),
  get: (read) => store.get(read),
  query: (read) => store.query(read),
  batchGet: (read) => store.batchGet(read),
  ...other,
});

/** The writes of rows that begin so, rewritten where their text has this. */
export function rewritingRows(prefix: string, rewrite: (write: Write) => Write, text = ''): WrapStore {
  const isMeant = (write: Write): boolean => sortKeyOf(write).startsWith(prefix) && textOf(write).includes(text);
  return (store) => over(store, { write: (write) => store.write(isMeant(write) ? rewrite(write) : write) });
}

/** What a raise of `dated` or `undated` answers, without these fields of the head. */
export function hidingFromRaise(kind: Outcome['kind'], fields: readonly string[]): WrapStore {
  const hide = (row: Item | undefined): Item | undefined =>
    row && Object.fromEntries(Object.entries(row).filter(([name]) => !fields.includes(name)));
  return (store) =>
    over(store, {
      write: async (write) => {
        const outcome = await store.write(write);
        if (outcome.kind !== kind || !/#(?:un)?datedWas = /.test(textOf(write))) return outcome;
        return outcome.kind === 'won'
          ? { kind: 'won', item: hide(outcome.item) }
          : { kind: 'held', stored: hide(outcome.stored) };
      },
    });
}

export const NONE: QueryPage = { items: [], lastKey: undefined };

/**
 * Who settles a contest goes by the citations it read, in all its rounds: always, or once it forced a write that was
 * refused. `force` rewrites such a write, or answers undefined.
 */
export function readingOnce(force?: (write: Write) => Write | undefined): WrapStore {
  return (store) => {
    let rows: QueryPage = NONE;
    let isSettling = false;
    let isBlind = force === undefined;
    const follow = (sk: string): void => {
      if (sk.startsWith('ATTENTION#')) isSettling = true;
      if (/^(?:HEAD|CLAIM)#/.test(sk)) isSettling = false;
    };
    return over(store, {
      write: async (write) => {
        follow(sortKeyOf(write));
        const outcome = await store.write(write);
        const forced = outcome.kind === 'held' ? force?.(write) : undefined;
        if (!forced) return outcome;
        isBlind = true;
        return store.write(forced);
      },
      get: (read) => {
        follow(String(read.input.Key?.[SORT_KEY]));
        return store.get(read);
      },
      query: async (read) => {
        if (!isQueryOf(read, 'CLAIM#')) return store.query(read);
        if (!isSettling || !isBlind) rows = await store.query(read);
        return rows;
      },
    });
  };
}

/** Whoever finds a contest in a claim slot that was none before lets it be. */
export const lettingBe: WrapStore = (store) => {
  let isLeft = false;
  const follow = (sk: string): void => {
    if (/^(?:HEAD|CLAIM)#/.test(sk)) isLeft = false;
  };
  return over(store, {
    write: async (write) => {
      follow(sortKeyOf(write));
      if (!textOf(write).includes('#contested = ')) return store.write(write);
      isLeft = true;
      return { kind: 'won', item: undefined };
    },
    get: async (read) => {
      const sk = String(read.input.Key?.[SORT_KEY]);
      follow(sk);
      return isLeft && sk.startsWith('ATTENTION#') ? undefined : store.get(read);
    },
    query: async (read) => (isLeft && isQueryOf(read, 'CLAIM#') ? NONE : store.query(read)),
  });
};

/** The look for forgotten claims finds none, before the writer's rows or after them. */
export function missingForgotten(when: 'before' | 'after'): WrapStore {
  return (store) => {
    let hasWritten = false;
    return over(store, {
      write: (write) => {
        hasWritten ||= sortKeyOf(write).startsWith('CLAIM#');
        return store.write(write);
      },
      query: async (read) =>
        isQueryOf(read, 'ERASURE#CLAIM#') && hasWritten === (when === 'after') ? NONE : store.query(read),
    });
  };
}

/** A rebuild of a head. */
export const isRebuild = (write: Write): boolean =>
  sortKeyOf(write).startsWith('HEAD#') && textOf(write).includes('REMOVE') && textOf(write).includes('#version = ');

/** The row as an update sets it. */
function setBy(write: Write): Item {
  const values = (write.input as { ExpressionAttributeValues?: Item }).ExpressionAttributeValues ?? {};
  const set = Object.entries(values).filter(([name]) => name.startsWith(':set_'));
  return { ...Object.fromEntries(set.map(([name, value]) => [name.slice(':set_'.length), value])), version: 0 };
}

/** After its write a rebuild sees the head it wrote, and the rows it read before. `isSpared`: nor is the write sent. */
export function rebuildingOnce(isSpared = false): WrapStore {
  return (store) => {
    let rows: QueryPage = NONE;
    let written: Item | undefined;
    return over(store, {
      write: async (write) => {
        if (!isRebuild(write)) return store.write(write);
        const outcome = isSpared ? ({ kind: 'won', item: undefined } as const) : await store.write(write);
        if (outcome.kind === 'won') written = setBy(write);
        return outcome;
      },
      get: async (read) =>
        written && String(read.input.Key?.[SORT_KEY]).startsWith('HEAD#') ? written : store.get(read),
      query: async (read) => {
        if (!isQueryOf(read, 'CLAIM#')) return store.query(read);
        if (!written) rows = await store.query(read);
        written = undefined;
        return rows;
      },
    });
  };
}

/** One store over another. */
export const both =
  (outer: WrapStore, inner: WrapStore): WrapStore =>
  (store) =>
    outer(inner(store));

/** After it dropped a head the eraser sees the claim slot empty, as it read it before. */
export const droppingOnce: WrapStore = (store) => {
  let isBlind = false;
  return over(store, {
    write: async (write) => {
      const outcome = await store.write(write);
      if (write.kind === 'delete' && sortKeyOf(write).startsWith('HEAD#')) isBlind = outcome.kind === 'won';
      return outcome;
    },
    query: async (read) => {
      if (!isBlind || !isQueryOf(read, 'CLAIM#')) return store.query(read);
      isBlind = false;
      return NONE;
    },
  });
};
