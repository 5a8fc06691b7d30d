/** Bodies and queries that no route takes, whatever stands: each parsed as its route parses it. */
import * as z from 'zod';
import { repairHeads } from '../../../functions/curator/repair.ts';
import { correctClaim, protectClaim, retractClaim, unprotectClaims } from '../../../functions/curator/state-claim.ts';
import { mergeEntities } from '../../../functions/curator/merge.ts';
import { sayType } from '../../../functions/curator/type-entity.ts';
import { withdraw } from '../../../functions/curator/withdraw.ts';
import { liftErasures } from '../../../functions/eraser/lift.ts';
import { forgetClaim } from '../../../functions/eraser/order.ts';
import { parseOr400 } from '../../../functions/io/http.ts';
import { requeueClass } from '../../../functions/trigger/requeue-class.ts';
import { requeue } from '../../../functions/trigger/requeue.ts';
import { requestLook } from '../../../functions/trigger/run.ts';
import { drainBodySchema, requeueBodySchema, requeueClassBodySchema, triggerBodySchema } from '../../../schema/api.ts';
import { eraseQuerySchema, forgetBodySchema, liftBodySchema } from '../../../schema/erasure-api.ts';
import {
  continueBodySchema,
  correctBodySchema,
  mergeBodySchema,
  protectBodySchema,
  retractBodySchema,
  typeBodySchema,
  unprotectBodySchema,
  withdrawBodySchema,
} from '../../../schema/memory-api.ts';
import type { FunctionRole } from '../engine/actor.ts';
import { type Asking, curator, eraser, HALF, LONG, operator, type SloppyCall } from './sloppy-call.ts';

const invalid = ['invalid_request'];

/** A body that its schema refuses, whatever stands. */
function malformed<T>(
  name: string,
  role: FunctionRole,
  schema: z.ZodType<T>,
  bodies: readonly unknown[],
  run: (asking: Asking, body: T) => Promise<unknown>,
): SloppyCall {
  const send = (asking: Asking): Promise<unknown> =>
    run(asking, parseOr400(schema, asking.random.pick(bodies), 'body'));
  return { name: `malformed: ${name}`, role, codes: invalid, send };
}

export const claim = { entity: 'Ann', attribute: 'home' };

const ODD_NAMES = [
  {},
  'a body',
  [claim],
  { ...claim, entity: ' \t' },
  { ...claim, entity: `Ann${HALF}`, value: 'north' },
  { ...claim, attribute: 'Home Town', value: 'north' },
  { ...claim, value: 7, author: '' },
  { ...claim, value: LONG, reason: LONG },
  { ...claim, value: 'north', certain: true, source: 'me', because: LONG },
  { ...claim, value: 'north', at: 'yesterday' },
  { ...claim, value: Number.NaN, cardinality: 'few' },
  { entity: null, attribute: undefined, value: {}, at: 1, author: 2, reason: 3, cardinality: 4 },
];

export const MALFORMED: readonly SloppyCall[] = [
  malformed(
    'correct',
    'curator',
    correctBodySchema,
    [...ODD_NAMES, { ...claim, value: '', cardinality: 'many' }, { ...claim, value: 'north', event: LONG }],
    (asking, body) => correctClaim(curator(asking), asking.scope, body),
  ),
  malformed('retract', 'curator', retractBodySchema, ODD_NAMES, (asking, body) =>
    retractClaim(curator(asking), asking.scope, body),
  ),
  malformed('protect', 'curator', protectBodySchema, ODD_NAMES, (asking, body) =>
    protectClaim(curator(asking), asking.scope, body),
  ),
  malformed(
    'unprotect',
    'curator',
    unprotectBodySchema,
    [{ entity: 'Ann' }, { ...claim, author: 'me' }, { ...claim, value: LONG }],
    (asking, body) => unprotectClaims(curator(asking), asking.scope, body),
  ),
  malformed(
    'withdraw',
    'curator',
    withdrawBodySchema,
    [
      {},
      { citation: 'c' },
      { source: { kind: 'novel', id: 's0' } },
      { source: 's0' },
      'all',
      { ...claim, citation: '' },
    ],
    (asking, body) => withdraw(curator(asking), asking.scope, body),
  ),
  malformed(
    'merge',
    'curator',
    mergeBodySchema,
    [{ from: 'Ann' }, { from: 'Ann', into: '' }, { from: ['Ann'], into: 'Ben' }, { from: 'Ann', into: `B\u0000en` }],
    (asking, body) => mergeEntities(curator(asking), asking.scope, body),
  ),
  malformed(
    'type',
    'curator',
    typeBodySchema,
    [{ entity: 'Ann', type: 'alien' }, { entity: 'Ann' }, { type: 'pet' }, { entity: 'Ann', type: 'pet', at: '2024' }],
    (asking, body) => sayType(curator(asking), asking.scope, body),
  ),
  malformed(
    'repair',
    'curator',
    continueBodySchema,
    [{ cursor: 7 }, { page: 2 }, { cursor: 'c'.repeat(3_000) }],
    (asking, body) => repairHeads(curator(asking), asking.scope, body),
  ),
  malformed(
    'forget',
    'eraser',
    forgetBodySchema,
    [claim, { ...claim, value: ' ' }, { ...claim, value: LONG }, { value: 'north' }],
    (asking, body) => forgetClaim(eraser(asking), asking.scope, body),
  ),
  malformed(
    'lift',
    'eraser',
    liftBodySchema,
    [{}, { hash: 'short' }, { claim }, { source: { kind: 'note' } }, { hash: 'a'.repeat(22), claim }],
    (asking, body) => liftErasures(eraser(asking), asking.scope, body),
  ),
  malformed('erase', 'eraser', eraseQuerySchema, [{ author: '' }, { author: LONG }, { by: 'me' }], () =>
    Promise.resolve(),
  ),
  malformed(
    'trigger',
    'trigger',
    triggerBodySchema,
    [{ kind: LONG }, { kind: 7 }, { scope: 'other' }, null, []],
    (asking, { kind }) => requestLook(operator(asking), { scope: asking.scope, origin: 'trigger', kind }),
  ),
  malformed(
    'drain',
    'trigger',
    drainBodySchema,
    [{ parallel: 0 }, { parallel: 17 }, { parallel: 1.5 }, { parallel: '2' }, { parallel: Number.NaN }],
    (asking, { kind }) => requestLook(operator(asking), { scope: asking.scope, origin: 'drain', kind }),
  ),
  malformed(
    'requeue',
    'operator',
    z.union([requeueBodySchema, requeueClassBodySchema]),
    [{}, { class: 'odd' }, { kind: 'note' }, { class: 'crash', limit: 0 }, { id: 's0', revision: 'newest' }, 's0'],
    (asking, body) =>
      'class' in body
        ? requeueClass(operator(asking), asking.scope, body)
        : requeue(operator(asking), asking.scope, body),
  ),
];
