/** The pages without a source: each tells the model to finish, and why. None of them ever says that more can be had. */
import type { EvidencePage } from './executor/executor.ts';

const emptyPage = (note: string): EvidencePage => ({ items: [], hasMore: false, note });

export const NOTHING_LEFT = emptyPage('Nothing is left to read: finish now.');

export const HELD_BY_OTHERS: EvidencePage = {
  ...emptyPage('Other passes hold all that is left: finish now, do not wait for it.'),
  heldByOtherPasses: true,
};

/** The pass's time or its share is used up. */
export const DELIVERY_CLOSED: EvidencePage = {
  ...emptyPage('Nothing more is delivered to this pass: finish now.'),
  deliveryClosed: true,
};

/** Every source asked for went to other passes: nothing is said of the end of the queue. */
export const LOST_PAGE = emptyPage(
  'Other passes were faster at every source this one asked for: finish now, what is left is read by the next.',
);

/** Passes broke off at what is left, or at what this one holds: the two are not read in one pass. */
export const SET_ASIDE = emptyPage('What is left is for a pass of its own: finish now.');
