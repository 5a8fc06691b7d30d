/**
 * Answers of queries that end after a few rows, as the service's do after a megabyte: whoever reads on from where one ended
 * reads all the same. Only of what is read on: the rows that writers ask for in one page are few and small.
 */
import type { Store } from '../../../functions/io/ports.ts';
import type { Query } from '../../../schema/request.ts';

const READ_ON = /^(?:CLAIM|HEAD|ENTITY|ALIAS)#/;

/** Whether a query is one that is read on whatever asks it. */
export function isReadOn({ input }: Query): boolean {
  const { IndexName, ExpressionAttributeValues: values = {} } = input;
  return IndexName === undefined && Object.values(values).some((value) => READ_ON.test(String(value)));
}

/** A store whose queries of some kind answer at most so many rows. */
export function inShortPages<S extends Pick<Store, 'query'>>(
  store: S,
  rowsMax: number,
  isMeant: (read: Query) => boolean = isReadOn,
): S {
  const query: Store['query'] = (read) => {
    const { Limit } = read.input;
    if (!isMeant(read)) return store.query(read);
    return store.query({ ...read, input: { ...read.input, Limit: Math.min(Limit, rowsMax) } });
  };
  return { ...store, query };
}
