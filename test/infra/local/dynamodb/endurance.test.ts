import { it } from 'vitest';
import { leaveNothing } from '../../../endurance/queries.ts';

/** A fifth of what `npm run endure` asks; an engine that left 5 KB a query would leave ten times what is let pass. */
const QUERIES = 2_000;

it('queries leave no memory and no file behind', () => {
  leaveNothing(QUERIES);
});
